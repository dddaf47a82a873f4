//! What a command that is shut in cannot use up.

use agentctl::tools::sandbox::{Limits, Mode};

use super::{Bench, CONFINED, ESCAPED, backends, processes};

fn limited(limits: Limits) -> impl Fn() -> Bench {
    move || Bench { limits: limits.clone(), ..Bench::new() }
}

/// Asserts that without a sandbox `command` ends well, and that with one it is killed for `why`.
fn ends(limits: Limits, command: &str, why: &str) {
    let command = format!("{command}; echo {ESCAPED}");
    let bench = limited(limits);
    let seen = bench().unconfined(&command).unwrap();
    assert!(seen.contains(ESCAPED), "{seen}");
    for mode in CONFINED {
        for backend in backends() {
            let error = bench().shell(*mode, *backend, &command).unwrap_err().to_string();
            assert!(error.starts_with(why), "{mode:?}, {backend:?}: {error}");
        }
    }
}

#[test]
fn temporary_files_are_limited() {
    let limits = Limits { temporary_files: 8 << 20, ..Limits::default() };
    let fill = "for i in $(seq 20); do head -c 2M /dev/zero > $TMPDIR/$i; sleep 0.05; done";
    ends(limits, fill, "killed because of more than 8 MiB of temporary files\n");
}

#[test]
fn the_size_of_a_file_is_limited() {
    let limits = Limits { file_size: 1 << 20, ..Limits::default() };
    super::holds(CONFINED, limited(limits), "head -c 2M /dev/zero > $TMPDIR/file");
}

#[test]
fn disks_are_not_filled() {
    let limits = Limits { free_space: u64::MAX >> 1, ..Limits::default() };
    let fill = "for i in $(seq 20); do head -c 2M /dev/urandom > $TMPDIR/$i; sleep 0.05; done";
    let why = "killed because of less than 8796093022207 MiB left free on the disk\n";
    let bench = limited(limits);
    assert!(bench().unconfined(&format!("{fill}; echo {ESCAPED}")).unwrap().contains(ESCAPED));
    for mode in CONFINED {
        for backend in backends() {
            // Whoever frees space on the same disk meanwhile hides what the command used up.
            let killed = (0..5).any(|_| {
                let result = bench().shell(*mode, *backend, fill);
                result.is_err_and(|error| error.to_string().starts_with(why))
            });
            assert!(killed, "{mode:?}, {backend:?}");
        }
    }
}

#[test]
fn memory_is_limited_for_all_processes_together() {
    let limits = Limits { memory: 96 << 20, ..Limits::default() };
    let hog = "perl -e 'my $x = \"x\" x (40 << 20); select(undef, undef, undef, 2)' &";
    ends(
        limits,
        &format!("{hog} {hog} {hog} wait"),
        "killed because of more than 96 MiB of memory\n",
    );
}

#[test]
fn memory_is_limited_for_each_process() {
    let limits = Limits { data: 64 << 20, ..Limits::default() };
    super::holds(CONFINED, limited(limits), "perl -e 'my $x = \"x\" x (200 << 20); exit 0'");
}

#[test]
fn open_files_are_limited() {
    let limits = Limits { open_files: 20, ..Limits::default() };
    let open = "perl -e 'for (1..30) { open($f[$_], \"<\", \"/dev/null\") or exit 1 } exit 0'";
    super::holds(CONFINED, limited(limits), open);
}

#[test]
fn the_number_of_processes_is_limited() {
    let limits = Limits { processes: 40, ..Limits::default() };
    let many = "for i in $(seq 100); do sleep 2 & done; wait";
    ends(limits, many, "killed because of more than 40 processes\n");
}

#[test]
fn a_fork_bomb_goes_off_and_nothing_is_left() {
    let limits = Limits { processes: 40, ..Limits::default() };
    let marker = format!("bomb-{:016x}", fastrand::u64(..));
    // Bounded, should it ever get through: 4,095 processes.
    let bomb = format!(
        "b() {{ [ $1 -gt 0 ] && {{ b $(($1 - 1)) & b $(($1 - 1)) & }}; wait; sleep 5; }}; \
         : {marker}; b 11"
    );
    for backend in backends() {
        let bench = limited(limits.clone())();
        let error = bench.shell(Mode::WorkspaceWrite, *backend, &bomb).unwrap_err().to_string();
        assert!(error.starts_with("killed because of more than 40 processes\n"), "{error}");
        assert_eq!(processes(&marker), [0; 0], "{backend:?}");
    }
}
