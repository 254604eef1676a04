//! Scripts that spread a study over a cluster: a SLURM array of shards with a job that merges them, or GNU parallel.

use std::fmt::Write as _;

/// Who runs the shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// `sbatch`.
    Slurm,
    /// `parallel`, on this machine or on those of its `--sshlogin`.
    Parallel,
}

/// What the script runs.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// The program.
    pub program: &'a str,
    /// The study file.
    pub study: &'a str,
    /// Folder of results.
    pub out: &'a str,
    /// Shards.
    pub shards: usize,
    /// Processors a shard.
    pub threads: usize,
}

/// A text that a shell takes as one word.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./+=:@,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A shell script; submitting it again completes what was lost.
///
/// SLURM: the script is an array job of the shards, which submits the merge itself (`--dependency=afterany`) from its first task.
pub fn script(scheduler: Scheduler, job: &Job<'_>) -> String {
    let Job {
        shards, threads, ..
    } = *job;
    let (program, study, out) = (quoted(job.program), quoted(job.study), quoted(job.out));
    let sweep = |shard: &str| {
        format!(
            "{program} sweep {study} --out {out} --resume --threads {threads} --shard {shard}/{shards}"
        )
    };
    let merge = format!("{program} sweep merge {out}/shard-* --out {out}");
    let mut text = String::from("#!/bin/bash\n");
    // Writing into a String doesn't fail.
    let _ = match scheduler {
        Scheduler::Slurm => write!(
            text,
            "#SBATCH --job-name=stokeslet\n\
             #SBATCH --array=1-{shards}\n\
             #SBATCH --cpus-per-task={threads}\n\
             #SBATCH --requeue\n\
             #SBATCH --output=stokeslet-%A_%a.log\n\
             # Submit with `sbatch`; a second time completes what a lost node left: finished points are skipped.\n\
             if [ \"${{SLURM_ARRAY_TASK_ID:-0}}\" = 1 ] && [ \"${{SLURM_RESTART_COUNT:-0}}\" = 0 ]; then\n  \
               sbatch --job-name=stokeslet-merge --output=stokeslet-merge-%j.log \\\n    \
                 --dependency=afterany:\"$SLURM_ARRAY_JOB_ID\" --wrap {}\n\
             fi\n\
             exec {}\n",
            quoted(&merge),
            sweep("\"$SLURM_ARRAY_TASK_ID\"")
        ),
        Scheduler::Parallel => write!(
            text,
            "# Run with `bash`; a second time completes what was lost: finished points are skipped.\n\
             seq {shards} | parallel -j \"${{JOBS:-$(nproc)}}\" {}\n{merge}\n",
            quoted(&sweep("{}"))
        ),
    };
    text
}
