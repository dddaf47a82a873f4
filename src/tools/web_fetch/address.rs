//! Which addresses are public: those nobody needs to be anywhere in particular to reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks of IPv4 that are not: this machine, private, shared, link-local, reserved for
/// protocols, documentation and benchmarks, multicast, and the rest.
const NOT_PUBLIC: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Networks inside of the public part of IPv6 that are not: protocols and tunnels (Teredo among
/// them), and documentation.
const NOT_PUBLIC_SIX: &[(Ipv6Addr, u32)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// The public part of IPv6.
const PUBLIC_SIX: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
/// Addresses that a router turns into the IPv4 address at their end.
const TRANSLATED: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);
/// Addresses of tunnels to the IPv4 address after their beginning.
const TUNNELLED: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16);

/// Whether `address` is public.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_four(address),
        IpAddr::V6(address) => is_public_six(address),
    }
}

fn is_public_four(address: Ipv4Addr) -> bool {
    let within = |(network, length): &(Ipv4Addr, u32)| {
        (address.to_bits() ^ network.to_bits()) >> (32 - length) == 0
    };
    !NOT_PUBLIC.iter().any(within)
}

fn is_public_six(address: Ipv6Addr) -> bool {
    let within = |(network, length): &(Ipv6Addr, u32)| {
        (address.to_bits() ^ network.to_bits()) >> (128 - length) == 0
    };
    let embedded = |shift: u32| {
        let bits = u32::try_from(address.to_bits() >> shift & u128::from(u32::MAX));
        bits.is_ok_and(|bits| is_public_four(Ipv4Addr::from_bits(bits)))
    };
    if address.to_ipv4_mapped().is_some() || within(&TRANSLATED) {
        return embedded(0);
    }
    if within(&TUNNELLED) {
        return embedded(80);
    }
    within(&PUBLIC_SIX) && !NOT_PUBLIC_SIX.iter().any(within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_public_internet_are_public() {
        for address in [
            "1.1.1.1",
            "93.184.216.34",
            "172.15.255.255",
            "172.32.0.1",
            "100.128.0.1",
            "2606:4700::1111",
            "2a00:1450:4001::200e",
            "::ffff:1.1.1.1",
            "64:ff9b::101:101",
            "2002:101:101::1",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn everything_else_is_not() {
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.168.1.1",
            "198.19.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::1.1.1.1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::10.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::101:101",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:c0a8:101::1",
            "3fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "4000::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }
}
