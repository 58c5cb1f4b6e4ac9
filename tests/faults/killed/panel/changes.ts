/** Random changes by callers of the API, contacts on the network, and a person in the panel. */
import assert from 'node:assert/strict';
import * as v from 'valibot';
import { ListDealsAnswer } from '../../../../shared/api/deal.ts';
import { ListPipelinesAnswer } from '../../../../shared/api/pipeline.ts';
import { freshPhone } from '../../../support/api.ts';
import type { PanelPage } from '../../../support/browser.ts';
import { Browser } from '../../../support/gateway/panel/browser.ts';
import type { PanelFixture } from '../../../support/panel/panel-fixture.ts';
import type { SeededRandom } from '../../simulation/world/seeded-random.ts';

const CONTACTS = 6;
const DEALS = 8;
export const ORIGINS = ['api', 'network', 'panel'] as const;
export type Origin = (typeof ORIGINS)[number];

/** A call; it throws where it is not answered as it should be, as while a process is away. */
type Change = () => Promise<void>;

export interface ChangesPlan {
  readonly panel: PanelFixture;
  readonly random: SeededRandom;
  /** Page whose person works in the panel. */
  readonly worker: PanelPage;
}

export class Changes {
  readonly #plan: ChangesPlan;
  readonly #phones = Array.from({ length: CONTACTS }, freshPhone);
  #browser = new Browser('');
  #conversationIds: readonly string[] = [];
  #dealIds: readonly string[] = [];
  #stageIds: readonly string[] = [];
  /** Deals, as far as the answers told. */
  readonly #closed = new Set<string>();
  #count = 0;

  private constructor(plan: ChangesPlan) {
    this.#plan = plan;
  }

  /** One conversation for each contact, and deals of all of them. */
  static async begin(plan: ChangesPlan): Promise<Changes> {
    const changes = new Changes(plan);
    for (const phone of changes.#phones) await changes.#write(phone, 'Bom dia.');
    await changes.#begin();
    return changes;
  }

  /** Draws the next change, and makes it. */
  async make(): Promise<Origin> {
    const origin = this.#plan.random.pick(ORIGINS);
    const drawn = { api: this.#ofApi, network: this.#ofNetwork, panel: this.#ofPanel }[origin];
    await drawn.call(this)();
    return origin;
  }

  async #begin(): Promise<void> {
    const { panel, worker } = this.#plan;
    const { stack, shop } = panel;
    const [cookie] = await worker.context.cookies();
    assert.ok(cookie, 'the worker is signed in');
    this.#browser = new Browser(panel.url, `${cookie.name}=${cookie.value}`);
    const { data } = await stack.conversations(shop.key, '?limit=50');
    this.#conversationIds = data.map(({ id }) => id).sort();
    const pipelines = await stack.call('GET', '/api/v1/pipelines', { key: shop.key });
    const [pipeline] = v.parse(ListPipelinesAnswer, pipelines.json).data;
    this.#stageIds = (pipeline?.stages ?? []).map(({ id }) => id);
    for (let n = 0; n < DEALS; n++) {
      const body = { phone: this.#phones[n % CONTACTS], title: `Negócio ${n}`, valueCents: n };
      await this.#call('/api/v1/deals', body);
    }
    const deals = await stack.call('GET', '/api/v1/deals', { key: shop.key });
    this.#dealIds = v.parse(ListDealsAnswer, deals.json).data.map(({ id }) => id);
  }

  #ofApi(): Change {
    const { random, panel } = this.#plan;
    const phone = random.pick(this.#phones);
    const text = this.#text();
    if (random.happens(0.5)) return () => this.#changeDeal((path, body) => this.#call(path, body));
    const { main: channelId } = panel.shop;
    return () => this.#call('/api/v1/messages', { channelId, phone, text });
  }

  #ofNetwork(): Change {
    const phone = this.#plan.random.pick(this.#phones);
    const text = this.#text();
    return () => this.#write(phone, text);
  }

  #ofPanel(): Change {
    const { random, panel } = this.#plan;
    const conversationId = random.pick(this.#conversationIds);
    const path = `/api/v1/conversations/${conversationId}`;
    const text = this.#text();
    const { ana = null, bia = null } = panel.shop.applied.members;
    const memberId = random.pick([ana, bia, null]);
    const { main: channelId } = panel.shop;
    const phone = random.pick(this.#phones);
    const act = (to: string, body: object) => this.#act(to, body);
    const changes: readonly Change[] = [
      () => act('/api/v1/messages', { channelId, phone, text }),
      () => act(`${path}/notes`, { text }),
      () => act(path, { assignedTo: memberId }),
      () => act(path, { status: 'resolved' }),
      () => act(path, { status: 'open' }),
      () => this.#changeDeal(act),
    ];
    return random.pick(changes);
  }

  /** An open one moves, gets a title or closes; a closed one is opened again. */
  async #changeDeal(call: (path: string, body: object) => Promise<void>): Promise<void> {
    const { random } = this.#plan;
    const id = random.pick(this.#dealIds);
    const changes = [
      { stageId: random.pick(this.#stageIds) },
      { stageId: random.pick(this.#stageIds) },
      { title: `Negócio ${this.#text()}` },
      { status: 'won' },
      { status: 'lost', lostReason: 'Preço' },
    ];
    const change = this.#closed.has(id) ? { status: 'open' } : random.pick(changes);
    await call(`/api/v1/deals/${id}`, change);
    if (change.status === 'open') this.#closed.delete(id);
    else if (change.status !== undefined) this.#closed.add(id);
  }

  #text(): string {
    this.#count += 1;
    return `mudança número ${this.#count}.`;
  }

  async #write(from: string, text: string): Promise<void> {
    const { network } = this.#plan.panel.stack;
    const name = `Pessoa ${this.#phones.indexOf(from)}`;
    await network.inbound({ channelId: this.#plan.panel.shop.main, from, text, name });
  }

  async #call(path: string, body: object): Promise<void> {
    const { stack, shop } = this.#plan.panel;
    const answer = await stack.request('POST', path, { key: shop.key, body });
    assert.ok(answer.status < 300, answer.text);
  }

  async #act(path: string, body: object): Promise<void> {
    const answer = await this.#browser.call('POST', path, { body });
    assert.ok(answer.status < 300, answer.text);
  }
}
