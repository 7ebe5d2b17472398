//! THE table: one row an applet, sorted by name.

use applet::Applet;

/// Every applet there is. `--list`, `--install`, the container image, the manual pages, the shell
/// completions and the fault harness all read this.
pub const APPLETS: &[Applet] = &[applet_cat::APPLET, applet_yes::APPLET];

/// The applet of that name.
pub(crate) fn find(name: &[u8]) -> Option<&'static Applet> {
    APPLETS.iter().find(|applet| applet.name.as_bytes() == name)
}

#[cfg(test)]
mod tests {
    use super::APPLETS;

    #[test]
    fn the_table_is_sorted_and_names_are_unique() {
        assert!(APPLETS.is_sorted_by(|a, b| a.name < b.name));
    }
}
