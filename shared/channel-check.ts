/** The findings of `recado channels check`: the steps from a channel's settings to its receipts. */
import type { StepText } from './problems/channel-steps.ts';

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

export interface ChannelFinding {
  readonly step: CheckStep;
  /** Null: not checked, because of an earlier step or of the network. */
  readonly ok: boolean | null;
  /** Without tokens, secrets and phones of contacts. */
  readonly detail: StepText;
  /** Null where there is nothing to do. */
  readonly remedy: StepText | null;
}

/** The question of `recado channels check`. */
export interface CheckChannel {
  /** `ref` or id. */
  readonly channel: string;
  /** `ref` or id; null where the channel's name is enough. */
  readonly organization: string | null;
}

export function pass(step: CheckStep, detail: StepText): ChannelFinding {
  return { step, ok: true, detail, remedy: null };
}

export function fail(step: CheckStep, detail: StepText, remedy: StepText): ChannelFinding {
  return { step, ok: false, detail, remedy };
}

export function skip(step: CheckStep, detail: StepText): ChannelFinding {
  return { step, ok: null, detail, remedy: null };
}

/** Not asked: `see` keeps it from having an answer. */
export function notLookedAt(step: CheckStep, see: CheckStep | null): ChannelFinding {
  return skip(step, { code: 'notLookedAt', params: { step: see } });
}

/** The first step: nothing that the driver needs is left out of the channel's settings. */
export function settingsFinding(names: readonly string[], whole: StepText): ChannelFinding {
  if (names.length === 0) return pass('settings', whole);
  const missing = { code: 'settingsMissing', params: { names } } as const;
  return fail('settings', missing, { code: 'addSettings', params: {} });
}

/** All of a driver's steps in their order; steps without a finding were not checked. */
export function withSkippedSteps(findings: readonly ChannelFinding[]): readonly ChannelFinding[] {
  const failed = findings.find(({ ok }) => ok === false)?.step ?? null;
  return DRIVER_STEPS.map(
    (step) => findings.find((each) => each.step === step) ?? notLookedAt(step, failed),
  );
}
