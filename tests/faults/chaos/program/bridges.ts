/** The numbers of a run that hang on the bridge: one session for each of its engines. */
import { ENGINES, type Engine } from '../../../../infra/programs/simulator/bridge/engines.ts';

export interface Bridge {
  readonly engine: Engine;
  readonly session: string;
}

export const BRIDGES: readonly Bridge[] = ENGINES.map((engine) => {
  return { engine, session: `chaos-${engine}` };
});

/** As a provisioning file has them. */
export function bridgeChannels() {
  return BRIDGES.map(({ engine, session }, index) => ({
    ref: engine,
    label: engine,
    provider: 'web',
    phone: `+55 11 4000-30${index}0`,
    enabled: true,
    network: {
      baseUrl: 'sandbox',
      session,
      apiKey: `api-key-secret-${engine}`,
      webhookSecret: `webhook-secret-${engine}`,
      pace: { perSecond: 10_000, pairBurst: 10_000, pairEvery: '1ms' },
    },
  }));
}

/** The hidden id of a phone's owner. */
export function hiddenIdOf(phone: string): string {
  return `1${phone}00@lid`;
}

export function phoneBehind(hiddenId: string): string {
  return hiddenId.slice(1, -'00@lid'.length);
}
