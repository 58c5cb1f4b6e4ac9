/** Contacts who want no messages: well, and gone wrong. */
import { call, message, OTHER, PHONE, show, store, type Told, transmission } from './fixture.ts';
import type { Message } from './history.ts';
import { FAREWELL, optOuts } from './opt-outs.ts';

interface Out {
  readonly phone?: string;
  readonly onlyOn?: string;
  readonly isUnknown?: boolean;
  readonly operation?: string;
}

/** One message that is marked at 100 and handed over at 110, and an opt-out. */
function told(over: Partial<Message>, endedAt: number, out: Out = {}): Told {
  const { phone = PHONE, onlyOn, isUnknown, operation = 'opt-out' } = out;
  const times = { startedAt: endedAt - 10, endedAt };
  return {
    calls: [call(operation, { phone, onlyOn }, isUnknown ? 'unknown' : {}, times)],
    messages: [message('a', { channelId: 'chn_1', ...over })],
    marks: [{ messageId: 'a', at: 100 }],
    transmissions: [transmission('a', { at: 110 })],
    store: store(),
  };
}

const PROMOTION = { name: 'promocao', isMarketing: true };
const STOP = { operation: 'marketing-stop' };

show(optOuts, {
  noFlowsMessageAfterOptOut: {
    well: [
      told({ isAutomatic: true }, 105),
      // A caller's own.
      told({}, 50),
      told({ isAutomatic: true }, 50, { phone: OTHER }),
      told({ isAutomatic: true }, 50, { onlyOn: 'chn_2' }),
      told({ isAutomatic: true }, 50, { isUnknown: true }),
    ],
    'a (a) of a flow was marked after the opt-out of 50': [
      told({ isAutomatic: true }, 50),
      told({ isAutomatic: true }, 50, { onlyOn: 'chn_1' }),
      // Handed over without a mark.
      { ...told({ isAutomatic: true }, 50), marks: [] },
    ],
  },
  noMarketingAfterStop: {
    well: [
      told({ template: PROMOTION }, 105, STOP),
      told({ template: { ...PROMOTION, isMarketing: false } }, 50, STOP),
      told({ template: PROMOTION }, 50, { ...STOP, phone: OTHER }),
    ],
    'a (a) of marketing was marked after the stop of 50': [
      told({ template: PROMOTION }, 50, STOP),
      told({ template: PROMOTION }, 50),
    ],
  },
  aFarewellGoes: {
    well: [told({ text: FAREWELL }, 50), told({ text: 'flow: oi', error: 'opted_out' }, 50)],
    'the farewell a was kept back': [told({ text: FAREWELL, error: 'opted_out' }, 50)],
  },
});
