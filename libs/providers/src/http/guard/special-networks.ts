/** The only IPv6 network of the public internet. */
export const PUBLIC_IPV6 = ['2000::/3'];

/**
 * Networks that are not public (RFC 6890 and its successors), and the public address under which one cloud answers its machines. Of
 * IPv6 only those within `PUBLIC_IPV6`: tunnels that contain an IPv4 address, test and documentation ranges.
 */
export const SPECIAL_NETWORKS = [
  '0.0.0.0/8', // this host
  '10.0.0.0/8',
  '100.64.0.0/10', // carriers' NAT, and one cloud's metadata
  '127.0.0.0/8',
  '169.254.0.0/16', // link-local, and most clouds' metadata
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24', // relays to IPv6
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  '168.63.129.16/32', // Azure's host
  '2001::/23', // Teredo, benchmarks, ORCHID
  '2001:db8::/32',
  '2002::/16', // 6to4
  '3fff::/20',
];
