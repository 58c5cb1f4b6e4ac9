/** Configurations of the servers of a NATS cluster: TLS everywhere, one operator's accounts. */
import type { Certificates } from './certificates.ts';

export interface ClusterServer {
  readonly name: string;
  /** For clients. */
  readonly port: number;
  /** For the other servers. */
  readonly clusterPort: number;
  /** Addresses at which it reaches the others. */
  readonly routes: readonly string[];
}

/** @param trusted the accounts, as `NatsOperator` tells them */
export function serverConfiguration(
  { name, port, clusterPort, routes }: ClusterServer,
  { cert, key, ca }: Certificates,
  trusted: string,
): string {
  const files = `cert_file: "${cert}", key_file: "${key}"`;
  const urls = routes.map((at) => `"nats-route://${at}"`).join(', ');
  return `server_name: ${name}
listen: 127.0.0.1:${port}
tls: { ${files} }
${trusted}
cluster: {
  name: tests
  listen: 127.0.0.1:${clusterPort}
  tls: { ${files}, ca_file: "${ca}" }
  routes: [ ${urls} ]
  # Nobody learns an address that leads around the links.
  advertise: "127.0.0.1:1"
  no_advertise: true
}
`;
}
