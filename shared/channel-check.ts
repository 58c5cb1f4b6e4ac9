/** The findings of `recado channels check`: the steps from a channel's settings to its receipts. */

/** Gone through by the network's driver, in this order. */
const DRIVER_STEPS = [
  'settings',
  'address',
  'token',
  'number',
  'webhook',
  'signature',
  'events',
] as const;
/** With that of a network with templates, and the command line's own. */
export const CHECK_STEPS = [...DRIVER_STEPS, 'templates', 'message', 'receipts'] as const;
export type CheckStep = (typeof CHECK_STEPS)[number];

/** English: operators read it. */
export interface ChannelFinding {
  readonly step: CheckStep;
  /** Null: not checked, because of an earlier step or of the network. */
  readonly ok: boolean | null;
  /** Without tokens, secrets and phones of contacts. */
  readonly detail: string;
  /** Null where there is nothing to do. */
  readonly remedy: string | null;
}

/** The question of `recado channels check`. */
export interface CheckChannel {
  /** `ref` or id. */
  readonly channel: string;
  /** `ref` or id; null where the channel's name is enough. */
  readonly organization: string | null;
}

export function pass(step: CheckStep, detail: string): ChannelFinding {
  return { step, ok: true, detail, remedy: null };
}

export function fail(step: CheckStep, detail: string, remedy: string): ChannelFinding {
  return { step, ok: false, detail, remedy };
}

export function skip(step: CheckStep, detail: string): ChannelFinding {
  return { step, ok: null, detail, remedy: null };
}

/** The first step: nothing that the driver needs is left out of the channel's settings. */
export function settingsFinding(missing: readonly string[], whole: string): ChannelFinding {
  return missing.length === 0
    ? pass('settings', whole)
    : fail('settings', `missing: ${missing.join(', ')}`, 'Add them to the file and apply it.');
}

/** All of a driver's steps in their order; steps without a finding were not checked. */
export function withSkippedSteps(findings: readonly ChannelFinding[]): readonly ChannelFinding[] {
  const failed = findings.find(({ ok }) => ok === false)?.step ?? 'an earlier step';
  return DRIVER_STEPS.map(
    (step) =>
      findings.find((each) => each.step === step) ?? skip(step, `not looked at: see ${failed}`),
  );
}
