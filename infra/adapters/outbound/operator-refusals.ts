/**
 * Why a URL of a provisioning file is refused, in the operator's words. The setting that would
 * admit it is named; the address that a name resolves to is not.
 */
import { classifyAddress, type Target } from './address-guard.ts';

export const OPERATOR_REFUSALS = {
  too_long: 'must be at most 2048 characters',
  not_a_url: 'must be an http or https URL',
  protocol: 'must be an http or https URL',
  userinfo: 'must not hold a user or a password',
  port: 'must name a port from 1 to 65535',
} as const;

/** Whether the URL itself refers to this machine. */
function isLoopback(host: string): boolean {
  return (
    host === 'localhost' || host.endsWith('.localhost') || classifyAddress(host) === 'loopback'
  );
}

export function internalRefusal({ host, port }: Target): string {
  const entry = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const loopback = isLoopback(host) ? ', and so does EVENTS_TO_LOOPBACK=true' : '';
  return (
    'leads to an address of an internal network; ' +
    `${entry} in the service's PRIVATE_NETWORK_ALLOW allows it${loopback}`
  );
}
