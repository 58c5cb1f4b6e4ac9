/** Two organizations whose runs all wait for one minute: a campaign, and a small neighbour. */
import { organizationsFile, tokenOf } from '../organization.ts';

export const CAMPAIGN = 'campaign';
export const NEIGHBOUR = 'neighbour';
export const NEIGHBOURS_RUNS = 50;
/** Entries of a run: begun and waiting, continued, ended. */
export const ENTRIES = { waiting: 1, ended: 3 } as const;

/** A provisioning file of both; `at`: the minute that their flow waits for, epoch milliseconds. */
export function campaignFile(at: number): object {
  const until = new Date(at).toISOString().slice(11, 16);
  const steps = [
    { id: 'wait', do: 'delay', until, next: 'end' },
    { id: 'end', do: 'end', status: 'resolved' },
  ];
  const refs = [CAMPAIGN, NEIGHBOUR];
  const file = organizationsFile(
    refs.map((ref) => ({ ref, channels: 1, subscribers: [], events: [] })),
  );
  const { orgs } = file as { readonly orgs: readonly object[] };
  const flows = [{ ref: 'wait', name: 'Espera', steps }];
  return { orgs: orgs.map((org) => ({ ...org, timeZone: 'UTC', flows })) };
}

export interface Start {
  readonly path: string;
  readonly token: string;
  /** JSON, as the load sends it. */
  readonly bodies: readonly string[];
}

export function startOf(
  ref: string,
  { flowId, channelId }: { readonly flowId: string; readonly channelId: string },
): Start {
  return {
    path: `/api/v1/flows/${flowId}/start`,
    token: tokenOf(ref),
    bodies: [JSON.stringify({ channelId, phone: '{phone}' })],
  };
}
