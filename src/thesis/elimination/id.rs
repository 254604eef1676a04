//! Names of matrices: one id per essentially different matrix, with bits for transpose and negation.

/// A matrix by id, perhaps transposed, perhaps negated. Two matrices that differ only so share one id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MatRef(u32);

impl MatRef {
    /// The zero matrix of any shape.
    pub const ZERO: Self = Self(0);
    /// The identity of any size.
    pub const IDENTITY: Self = Self(1 << 2);
    /// Ids below this are special.
    pub const FIRST_ID: u32 = 2;

    /// The matrix with this id as it is stored.
    pub fn stored(id: u32) -> Self {
        Self(id << 2)
    }

    /// Its id.
    pub fn id(self) -> u32 {
        self.0 >> 2
    }

    /// Whether it is the stored matrix's transpose.
    pub fn is_transposed(self) -> bool {
        self.0 & 1 != 0
    }

    /// Whether it is the stored matrix's negative.
    pub fn is_negated(self) -> bool {
        self.0 & 2 != 0
    }

    /// Its transpose; zero and identity are their own.
    pub fn transposed(self) -> Self {
        if self.is_special() {
            self
        } else {
            Self(self.0 ^ 1)
        }
    }

    /// Its negative; zero is its own.
    pub fn negated(self) -> Self {
        if self == Self::ZERO {
            self
        } else {
            Self(self.0 ^ 2)
        }
    }

    /// Transposed where `yes`.
    pub fn transposed_if(self, yes: bool) -> Self {
        if yes { self.transposed() } else { self }
    }

    /// Whether it is zero.
    pub fn is_zero(self) -> bool {
        self == Self::ZERO
    }

    /// Whether it is zero or plus or minus the identity.
    pub fn is_special(self) -> bool {
        self.id() < Self::FIRST_ID
    }
}

impl std::fmt::Debug for MatRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.is_negated() { "-" } else { "" };
        let transpose = if self.is_transposed() { "^T" } else { "" };
        match self.id() {
            0 => write!(f, "0"),
            1 => write!(f, "{sign}I"),
            id => write!(f, "{sign}M{id}{transpose}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_cancel_and_special_ids_stay_special() {
        let m = MatRef::stored(7);
        assert_eq!(m.transposed().transposed(), m);
        assert_eq!(m.negated().transposed().negated(), m.transposed());
        assert_eq!(MatRef::ZERO.negated().transposed(), MatRef::ZERO);
        assert_eq!(MatRef::IDENTITY.transposed(), MatRef::IDENTITY);
        assert_eq!(format!("{:?}", m.negated().transposed()), "-M7^T");
    }
}
