/** Whether an address lies in one of the configured networks. */
import ipaddr from 'ipaddr.js';

/** False for a text that is no address. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  if (networks.length === 0 || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return networks.some((network) => {
    const [base, bits] = network.includes('/')
      ? ipaddr.parseCIDR(network)
      : ([ipaddr.process(network), ipaddr.process(network).toByteArray().length * 8] as const);
    return base.kind() === parsed.kind() && parsed.match([base, bits]);
  });
}
