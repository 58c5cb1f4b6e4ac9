/**
 * The network of all sides: the simulator, called with the same numbers. It keeps what it accepted
 * in order. While rates are measured it answers and reports nothing, so that no side has receipts
 * to work on.
 */
import * as v from 'valibot';
import type { BenchService } from '../service.ts';

const SentSchema = v.object({
  data: v.array(v.object({ text: v.nullable(v.string()) })),
});

export interface Network {
  /** Forgets what was sent. */
  reset(options: { readonly hasReceipts: boolean }): Promise<void>;
  /** The numbers of the messages that it accepted since, in order. */
  accepted(): Promise<readonly number[]>;
}

/** @param phoneNumberIds of all numbers that are written from */
export function networkOf(service: BenchService, phoneNumberIds: readonly string[]): Network {
  const control = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const answer = await fetch(`${service.run().sandboxUrl}/control${path}`, init);
    if (!answer.ok) throw new Error(`the simulator answered ${answer.status}`);
    return answer.json();
  };
  return {
    async reset({ hasReceipts }) {
      await control('', { method: 'DELETE' });
      if (hasReceipts) return;
      for (const phoneNumberId of phoneNumberIds) {
        const body = JSON.stringify({ phoneNumberId, dropReceipts: true });
        await control('/faults', { method: 'POST', body });
      }
    },
    async accepted() {
      const { data } = v.parse(SentSchema, await control('/sent'));
      return data.map(({ text }) => numberIn(text));
    },
  };
}

/** The body of the load's calls; the text ends with the call's number. */
export function bodyTo(channelId: string): string {
  return JSON.stringify({ channelId, phone: '{phone}', text: 'Mensagem de número {n}' });
}

export function numberIn(text: string | null): number {
  return Number(/\d+$/.exec(text ?? '')?.[0] ?? Number.NaN);
}
