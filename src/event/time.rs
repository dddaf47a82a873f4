//! Dates, in UTC.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const DAY: u64 = 86_400;

/// `time` as `2026-11-18T09:30:00.123Z`.
pub fn rfc3339(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let (seconds, millis) = (since.as_secs(), since.subsec_millis());
    let of_day = seconds % DAY;
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z", date(seconds / DAY))
}

/// Milliseconds since 1970 of a time that [`rfc3339`] wrote; 0 for anything else.
pub fn milliseconds(text: &str) -> i64 {
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<i64>().ok();
    let parts = [0..4, 5..7, 8..10, 11..13, 14..16, 17..19, 20..23].map(number);
    let [Some(year), Some(month), Some(day), Some(hour), Some(minute), Some(second), Some(millis)] =
        parts
    else {
        return 0;
    };
    // The year begins in March, so that leap days come last.
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let of_year = (153 * month + 2) / 5 + day - 1;
    let days = 365 * year + year / 4 - year / 100 + year / 400 + of_year - 719_468;
    (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + millis
}

/// The day of `time` as `2026-11-18`.
pub fn today(time: SystemTime) -> String {
    date(time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs() / DAY)
}

/// The date `days` after 1970-01-01, in the calendar that begins its years in March, so that leap
/// days come last.
fn date(days: u64) -> String {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_leap_years_and_the_ends_of_months() {
        let at = |seconds: u64| rfc3339(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00.000Z");
        assert_eq!(at(1_709_251_199), "2024-02-29T23:59:59.000Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00.000Z");
        for seconds in [0, 951_782_400, 1_709_251_199, 4_107_542_400] {
            assert_eq!(milliseconds(&at(seconds)), i64::try_from(seconds).unwrap() * 1000);
        }
        assert_eq!(milliseconds("yesterday"), 0);
        assert_eq!(today(UNIX_EPOCH + Duration::from_millis(1_794_994_245_678)), "2026-11-18");
    }
}
