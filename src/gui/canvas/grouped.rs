//! Members of many groups in two lists instead of a list each.

/// Numbers by the groups that they belong to, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(super) struct Grouped {
    /// Where the members of each group begin, and where the last ones end.
    begins: Vec<u32>,
    members: Vec<usize>,
}

impl Grouped {
    /// Members of so many groups, from pairs of a group and a member, which may be in several.
    pub fn new(groups: usize, pairs: impl Iterator<Item = (usize, usize)> + Clone) -> Self {
        let mut begins = vec![0; groups + 1];
        pairs.clone().for_each(|(group, _)| begins[group + 1] += 1);
        (0..groups).for_each(|k| begins[k + 1] += begins[k]);
        let mut next = begins.clone();
        let mut members = vec![0; begins[groups] as usize];
        for (group, member) in pairs {
            members[next[group] as usize] = member;
            next[group] += 1;
        }
        Self { begins, members }
    }

    /// Those of a group.
    pub fn of(&self, group: usize) -> &[usize] {
        &self.members[self.begins[group] as usize..self.begins[group + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_stay_in_their_order() {
        let pairs = [(2, 7), (0, 1), (2, 3), (0, 7)];
        let grouped = Grouped::new(4, pairs.into_iter());
        let all = [0, 1, 2, 3].map(|group| grouped.of(group));
        assert_eq!(all, [&[1, 7][..], &[], &[7, 3], &[]]);
    }
}
