/** A person who works in a page by its buttons: one act of each kind in turn, at a kill each. */
import assert from 'node:assert/strict';
import * as v from 'valibot';
import { freshPhone } from '../../../support/api.ts';
import type { PanelFixture } from '../../../support/panel/panel-fixture.ts';
import { waitFor } from '../../../support/wait-for.ts';
import type { SeededRandom } from '../../simulation/world/seeded-random.ts';
import { type Act, type Desk, OF_ACTS, settled } from './act.ts';
import { assign, begin, forward, quote, react, resend, resolve } from './conversation-acts.ts';
import {
  editContact,
  editDeal,
  editTask,
  moveDeal,
  newContact,
  takeTag,
  undo,
} from './record-acts.ts';

const KINDS = {
  ...{ react, quote, resend, forward, begin, assign, resolve },
  ...{ newContact, editContact, takeTag, moveDeal, undo, editDeal, editTask },
};
type Kind = keyof typeof KINDS;
export const ACT_KINDS = Object.keys(KINDS);

export interface BegunAct extends Act {
  readonly kind: string;
}

export class Acts {
  readonly desk: Desk;
  readonly #random: SeededRandom;
  readonly #done: BegunAct[] = [];
  #left: Kind[] = [];
  #count = 0;

  private constructor(desk: Desk, random: SeededRandom) {
    this.desk = desk;
    this.#random = random;
  }

  static async begin(panel: PanelFixture, random: SeededRandom): Promise<Acts> {
    const { page } = await panel.signIn('ana');
    return new Acts({ panel, page, ...(await subjects(panel)) }, random);
  }

  /** The next one, up to its last press. */
  async prepare(): Promise<BegunAct> {
    if (this.#left.length === 0) this.#left = this.#random.shuffled(kindsOf());
    const kind = this.#left.pop() ?? 'react';
    this.#count += 1;
    const act = { kind, ...(await KINDS[kind](this.desk, this.#count)) };
    this.#done.push(act);
    return act;
  }

  settled(act: BegunAct): Promise<true> {
    return settled(act, act.kind);
  }

  async differences(): Promise<readonly string[]> {
    const found = this.#done.map(async (act) =>
      (await act.differences()).map((each) => `${act.kind}: ${each}`),
    );
    return (await Promise.all(found)).flat();
  }
}

function kindsOf(): readonly Kind[] {
  return ACT_KINDS.filter((kind): kind is Kind => kind in KINDS);
}

const MadeSchema = v.object({ data: v.looseObject({ id: v.string() }) });

/** A contact with a conversation, a deal and a task, which nobody else changes. */
async function subjects({ stack, shop }: PanelFixture) {
  const phone = freshPhone();
  const text = `Bom dia ${OF_ACTS}.`;
  const name = `Pessoa ${OF_ACTS}`;
  await stack.network.inbound({ channelId: shop.main, from: phone, text, name });
  const conversation = await waitFor(
    async () => {
      const { data } = await stack.conversations(shop.key, '?limit=50');
      return data.find(({ contact }) => contact.phone === phone);
    },
    { what: 'the conversation of the acts' },
  );
  const make = async (path: string, body: object) => {
    const answer = await stack.call('POST', path, { key: shop.key, body });
    assert.equal(answer.status, 201, answer.text);
    return v.parse(MadeSchema, answer.json).data.id;
  };
  return {
    phone,
    contactId: conversation.contact.id,
    conversationId: conversation.id,
    dealId: await make('/api/v1/deals', { phone, title: `Negócio ${OF_ACTS} 0`, valueCents: 100 }),
    taskId: await make('/api/v1/tasks', { phone, title: `Tarefa ${OF_ACTS}` }),
  };
}
