//! The table of records as Apache Parquet (feature `parquet`): the columns of the CSV, numbers with all their bits.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use crate::journal::Header;
use crate::run::{Cell, Record};

/// Values of a column, one a record.
enum Column {
    Whole(Vec<i64>),
    Number(Vec<Option<f64>>),
    Text(Vec<String>),
}

/// Writes the table; one row group.
///
/// # Errors
/// What the writer says.
pub fn write_parquet(
    out: impl Write + Send,
    header: &Header,
    records: &BTreeMap<usize, Record>,
) -> Result<()> {
    let columns = columns(header, records);
    let fields = columns
        .iter()
        .map(|(name, column)| field(name, column).map(Arc::new));
    let schema = Type::group_type_builder("points")
        .with_fields(fields.collect::<Result<_>>()?)
        .build()?;
    let properties = Arc::new(WriterProperties::builder().build());
    let mut writer = SerializedFileWriter::new(out, Arc::new(schema), properties)?;
    let mut group = writer.next_row_group()?;
    for (_, column) in &columns {
        let Some(mut to) = group.next_column()? else {
            break;
        };
        match (to.untyped(), column) {
            (ColumnWriter::Int64ColumnWriter(to), Column::Whole(values)) => {
                to.write_batch(values, None, None)?;
            }
            (ColumnWriter::DoubleColumnWriter(to), Column::Number(values)) => {
                let levels: Vec<i16> = values.iter().map(|v| i16::from(v.is_some())).collect();
                let there: Vec<f64> = values.iter().flatten().copied().collect();
                to.write_batch(&there, Some(&levels), None)?;
            }
            (ColumnWriter::ByteArrayColumnWriter(to), Column::Text(values)) => {
                let texts: Vec<ByteArray> =
                    values.iter().map(|v| ByteArray::from(v.as_str())).collect();
                to.write_batch(&texts, None, None)?;
            }
            _ => {
                return Err(ParquetError::General(
                    "a column of another kind than its schema".to_owned(),
                ));
            }
        }
        to.close()?;
    }
    group.close()?;
    writer.close()?;
    Ok(())
}

fn field(name: &str, column: &Column) -> Result<Type> {
    match column {
        Column::Whole(_) => Type::primitive_type_builder(name, Physical::INT64)
            .with_repetition(Repetition::REQUIRED)
            .build(),
        Column::Number(_) => Type::primitive_type_builder(name, Physical::DOUBLE)
            .with_repetition(Repetition::OPTIONAL)
            .build(),
        Column::Text(_) => Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(Some(LogicalType::String))
            .build(),
    }
}

fn columns(header: &Header, records: &BTreeMap<usize, Record>) -> Vec<(String, Column)> {
    let all = || records.values();
    let whole = |of: &dyn Fn(&Record) -> i64| Column::Whole(all().map(of).collect());
    let mut out = vec![("index".to_owned(), whole(&|r| r.index as i64))];
    for (k, head) in header.variables.iter().enumerate() {
        let is_number = all().all(|r| matches!(r.values.get(k), Some(Cell::Number(_))));
        let column = match is_number {
            true => Column::Number(
                all()
                    .map(|r| match r.values.get(k) {
                        Some(Cell::Number(value)) => Some(*value),
                        _ => None,
                    })
                    .collect(),
            ),
            false => Column::Text(
                all()
                    .map(|r| match r.values.get(k) {
                        Some(Cell::Number(value)) => format!("{value:e}"),
                        Some(Cell::Text(text)) => text.clone(),
                        None => String::new(),
                    })
                    .collect(),
            ),
        };
        out.push((head.clone(), column));
    }
    if header.has_resolution {
        let column = whole(&|r| r.resolution.unwrap_or_default().into());
        out.push(("resolution".to_owned(), column));
    }
    for (k, head) in header.outputs.iter().enumerate() {
        let values = all().map(|r| r.outputs.get(k).copied().flatten());
        out.push((head.clone(), Column::Number(values.collect())));
    }
    let seconds = all().map(|r| Some(r.seconds)).collect();
    out.push(("seconds".to_owned(), Column::Number(seconds)));
    let status = all().map(|r| r.status.name().to_owned()).collect();
    out.push(("status".to_owned(), Column::Text(status)));
    let message = all().map(|r| r.message.clone()).collect();
    out.push(("message".to_owned(), Column::Text(message)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Status;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    #[test]
    fn a_table_comes_back_with_its_bits_and_its_gaps() {
        let header = Header {
            study: 1,
            key: String::new(),
            points: 2,
            shard: (1, 1),
            variables: vec!["w [m]".to_owned(), "kind".to_owned()],
            n_nominal: 0,
            has_resolution: false,
            outputs: vec!["q [m^3/s]".to_owned()],
        };
        let record = |index: usize, output: Option<f64>, status| Record {
            index,
            values: vec![Cell::Number(1e-4 / 3.0), Cell::Text("tee".to_owned())],
            resolution: None,
            status,
            message: String::new(),
            outputs: vec![output],
            seconds: 0.25,
        };
        let records = BTreeMap::from([
            (0, record(0, Some(1.0 / 7.0), Status::Ok)),
            (1, record(1, None, Status::DesignErrors)),
        ]);
        let file = tempfile::tempfile().unwrap();
        write_parquet(file.try_clone().unwrap(), &header, &records).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let names: Vec<String> = reader
            .metadata()
            .file_metadata()
            .schema_descr()
            .columns()
            .iter()
            .map(|c| c.name().to_owned())
            .collect();
        assert_eq!(
            names,
            [
                "index",
                "w [m]",
                "kind",
                "q [m^3/s]",
                "seconds",
                "status",
                "message"
            ]
        );
        let rows: Vec<_> = reader
            .get_row_iter(None)
            .unwrap()
            .map(|row| row.unwrap())
            .collect();
        assert_eq!(rows[0].get_double(1).unwrap(), 1e-4 / 3.0);
        assert_eq!(rows[0].get_string(2).unwrap(), "tee");
        assert_eq!(rows[0].get_double(3).unwrap(), 1.0 / 7.0);
        assert!(rows[1].get_double(3).is_err(), "there is none");
        assert_eq!(rows[1].get_string(5).unwrap(), "design_errors");
    }
}
