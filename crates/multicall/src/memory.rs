//! Memory for the small things: a list of arguments, a name, a message.
//!
//! It is a piece of the program's own image, so that a run asks the kernel for none, which is two or
//! three calls less, and a message can be put together where the kernel has none to give. What
//! does not fit is the C library's to find.
#![allow(unsafe_code, reason = "an allocator hands out raw memory: docs/decisions.md")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes in the program's image. Pages that are never used are never made resident.
const SIZE: usize = 64 * 1024;

/// A stack of allocations. The last one can grow and can be given back; of those before it nothing
/// comes back, which is no loss worth keeping books against: a run makes a few dozen, and one that
/// makes more goes on with the C library's.
#[derive(Debug)]
pub struct Memory {
    bytes: UnsafeCell<[u8; SIZE]>,
    /// Where the unused part begins.
    used: AtomicUsize,
}

// SAFETY: no two allocations overlap, whichever threads make them: each is a part of `bytes` that one
// exchange of `used` took from the unused ones. `bytes` itself is never borrowed.
unsafe impl Sync for Memory {}

impl Memory {
    /// All of it unused.
    #[allow(clippy::new_without_default, reason = "made once, for a static")]
    pub const fn new() -> Memory {
        Memory { bytes: UnsafeCell::new([0; SIZE]), used: AtomicUsize::new(0) }
    }

    fn start(&self) -> *mut u8 {
        self.bytes.get().cast()
    }

    /// Takes a part of the unused rest, or nothing if there is too little.
    fn take(&self, layout: Layout) -> Option<*mut u8> {
        let mut used = self.used.load(Ordering::Relaxed);
        loop {
            let address = self.start().addr() + used;
            let begin = used + (address.next_multiple_of(layout.align()) - address);
            let end = begin.checked_add(layout.size()).filter(|&end| end <= SIZE)?;
            match self.used.compare_exchange_weak(used, end, Ordering::AcqRel, Ordering::Relaxed) {
                // SAFETY: `begin` is at most `SIZE`.
                Ok(_) => return Some(unsafe { self.start().add(begin) }),
                Err(now) => used = now,
            }
        }
    }

    /// Where `pointer` lies in it, if it does.
    fn offset(&self, pointer: *mut u8) -> Option<usize> {
        pointer.addr().checked_sub(self.start().addr()).filter(|&offset| offset < SIZE)
    }

    /// Moves the end of the last allocation from `end` to `new_end`; false if it is not the last one
    /// or there is no room.
    fn move_end(&self, end: usize, new_end: usize) -> bool {
        new_end <= SIZE
            && self.used.compare_exchange(end, new_end, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }
}

// SAFETY: what `take` gives is as large and aligned as it was asked to be and nobody else's (see
// above); everything else is the system allocator's, and goes back to it and no other.
// Never inlined: it is called from hundreds of places, which made the program 28 KB larger.
unsafe impl GlobalAlloc for Memory {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the one that the system allocator asks for.
        self.take(layout).unwrap_or_else(|| unsafe { System.alloc(layout) })
    }

    #[inline(never)]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match self.take(layout) {
            Some(pointer) => {
                // It may have been used and given back.
                // SAFETY: all of it was just taken.
                unsafe { pointer.write_bytes(0, layout.size()) };
                pointer
            }
            // SAFETY: as in `alloc`.
            None => unsafe { System.alloc_zeroed(layout) },
        }
    }

    #[inline(never)]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        match self.offset(pointer) {
            Some(begin) => {
                self.move_end(begin + layout.size(), begin);
            }
            // SAFETY: what is not ours is the system allocator's, with this layout.
            None => unsafe { System.dealloc(pointer, layout) },
        }
    }

    #[inline(never)]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let Some(begin) = self.offset(pointer) else {
            // SAFETY: as in `dealloc`.
            return unsafe { System.realloc(pointer, layout, new_size) };
        };
        if new_size <= layout.size() {
            self.move_end(begin + layout.size(), begin + new_size);
            return pointer;
        }
        if begin.checked_add(new_size).is_some_and(|end| self.move_end(begin + layout.size(), end))
        {
            return pointer;
        }
        let Ok(new_layout) = Layout::from_size_align(new_size, layout.align()) else {
            return null_mut();
        };
        // SAFETY: as in `alloc`.
        let new = unsafe { self.alloc(new_layout) };
        if !new.is_null() {
            // SAFETY: both are as long as what is copied, and a new allocation overlaps no old one;
            // the old one is given back once.
            unsafe {
                new.copy_from_nonoverlapping(pointer, layout.size());
                self.dealloc(pointer, layout);
            }
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size: usize, align: usize) -> Layout {
        Layout::from_size_align(size, align).unwrap()
    }

    /// Allocates and fills with `byte`.
    fn filled(memory: &Memory, layout: Layout, byte: u8) -> *mut u8 {
        // SAFETY: no size here is 0, and what is allocated is written within its size.
        unsafe {
            let pointer = memory.alloc(layout);
            assert!(!pointer.is_null());
            assert_eq!(pointer.addr() % layout.align(), 0);
            pointer.write_bytes(byte, layout.size());
            pointer
        }
    }

    fn holds(pointer: *mut u8, size: usize, byte: u8) -> bool {
        // SAFETY: callers pass what they allocated and filled.
        unsafe { std::slice::from_raw_parts(pointer, size) }.iter().all(|&it| it == byte)
    }

    #[test]
    fn allocations_of_every_size_and_alignment_keep_what_is_in_them() {
        let memory = Memory::new();
        let mut all = Vec::new();
        for number in 0..200_u8 {
            let layout = layout(usize::from(number) * 7 + 1, 1 << (number % 13));
            all.push((filled(&memory, layout, number), layout, number));
        }
        let own = all.iter().filter(|(pointer, ..)| memory.offset(*pointer).is_some()).count();
        assert!(own > 10 && own < all.len(), "{own} of {} are its own", all.len());
        for (pointer, layout, number) in all {
            assert!(holds(pointer, layout.size(), number));
            // SAFETY: allocated with this layout, and given back once.
            unsafe { memory.dealloc(pointer, layout) };
        }
    }

    #[test]
    fn the_last_allocation_grows_where_it_is_and_comes_back() {
        let memory = Memory::new();
        let (small, large) = (layout(10, 1), layout(1000, 1));
        let first = filled(&memory, small, 1);
        // SAFETY: allocated with the layouts that are named, and given back once.
        unsafe {
            assert_eq!(memory.realloc(first, small, 1000), first);
            assert!(holds(first, 10, 1));
            memory.dealloc(first, large);
            let again = memory.alloc_zeroed(small);
            assert_eq!(again, first);
            assert!(holds(again, 10, 0));
        }
    }

    #[test]
    fn what_cannot_grow_where_it_is_moves() {
        let memory = Memory::new();
        let small = layout(10, 1);
        let (first, second) = (filled(&memory, small, 1), filled(&memory, small, 2));
        // SAFETY: allocated with the layouts that are named, and given back once.
        unsafe {
            let moved = memory.realloc(first, small, 20);
            assert!(moved != first && memory.offset(moved).is_some());
            assert!(holds(moved, 10, 1) && holds(second, 10, 2));
            let away = memory.realloc(moved, layout(20, 1), 2 * SIZE);
            assert!(memory.offset(away).is_none());
            assert!(holds(away, 10, 1) && holds(second, 10, 2));
            assert_eq!(memory.realloc(second, small, 5), second);
            memory.dealloc(away, layout(2 * SIZE, 1));
        }
    }

    #[test]
    fn what_is_too_large_is_left_to_the_system() {
        let memory = Memory::new();
        let large = layout(SIZE + 1, 1);
        // SAFETY: allocated with this layout, and given back once.
        unsafe {
            let pointer = memory.alloc_zeroed(large);
            assert!(memory.offset(pointer).is_none());
            assert!(holds(pointer, large.size(), 0));
            memory.dealloc(pointer, large);
        }
        assert_eq!(memory.used.load(Ordering::Relaxed), 0);
    }
}
