//! Which of all faults are made, where there are more than the limit.

use std::collections::BTreeSet;

use fastrand::Rng;

use crate::campaign::Recorded;
use crate::plan::{self, Fault, Kind};

/// Takes from every scenario its share of `limit`; what one does not need, others get. On top,
/// each kind of fault that is possible anywhere stays in some scenario, if it fits the limit or not.
pub(crate) fn out(recorded: &mut [Recorded<'_>], limit: usize, seed: u64) {
    let mut plans: Vec<&mut Vec<Fault>> = recorded.iter_mut().map(|it| &mut it.faults).collect();
    deal(&mut plans, limit, seed);
}

fn deal(plans: &mut [&mut Vec<Fault>], limit: usize, seed: u64) {
    let all: Vec<Vec<Fault>> = plans.iter().map(|faults| faults.to_vec()).collect();
    let mut order: Vec<usize> = (0..plans.len()).collect();
    order.sort_by_key(|index| plans[*index].len());
    let (mut left, mut waiting) = (limit, plans.len());
    for index in order {
        let share = left / waiting.max(1);
        let mut rng = Rng::with_seed(seed.wrapping_add(index as u64));
        let faults = std::mem::take(plans[index]);
        *plans[index] = plan::thin(faults, share, &mut rng);
        left = left.saturating_sub(plans[index].len());
        waiting -= 1;
    }
    let mut kept: BTreeSet<Kind> =
        plans.iter().flat_map(|faults| faults.iter().map(Fault::kind)).collect();
    for (faults, all) in plans.iter_mut().zip(all) {
        faults.extend(all.into_iter().filter(|fault| kept.insert(fault.kind())));
        // One scenario's faults of a call stand together: a reader compares them.
        faults.sort_by(|a, b| (a.kind(), a.when).cmp(&(b.kind(), b.when)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(call: &'static str, errors: &[&'static str], occurrences: usize) -> Vec<Fault> {
        let each = |when| {
            errors.iter().map(move |error| Fault {
                call,
                when,
                persistent: false,
                effect: plan::Effect::Error(error),
            })
        };
        (1..=occurrences).flat_map(each).collect()
    }

    #[test]
    fn every_kind_of_fault_is_left_somewhere() {
        let (mut short, mut long) =
            (faults("close", &["EIO"], 2), faults("read", &["EIO", "EBADF", "EISDIR"], 40));
        let kinds: BTreeSet<Kind> = short.iter().chain(&long).map(Fault::kind).collect();
        deal(&mut [&mut short, &mut long], 4, 1);
        let kept: BTreeSet<Kind> = short.iter().chain(&long).map(Fault::kind).collect();
        assert_eq!(kept, kinds);
        assert!(short.len() + long.len() <= 4 + kinds.len());
    }

    #[test]
    fn what_one_does_not_need_others_get() {
        let (mut short, mut long) = (faults("close", &["EIO"], 2), faults("read", &["EIO"], 40));
        deal(&mut [&mut short, &mut long], 20, 1);
        assert_eq!((short.len(), long.len()), (2, 18));
    }
}
