/**
 * One organization in memory: admission of every call, configuration, fan-out of its events.
 * The hot commands (admission, fan-out) commit nothing here and are answered beside the mailbox.
 */
import { ADMITTED, type AdmitCommand, SAID_BEFORE } from '../../shared/caller.ts';
import type { DescribeKey } from '../../shared/commands.ts';
import { renderFailure } from '../../shared/failures.ts';
import type { Answer, Command } from '../../shared/ports.ts';
import { parseOrganizationCommand } from '../../shared/provisioning/commands.ts';
import type { OrganizationState } from '../domain/organization-state.ts';
import { decideTags } from '../domain/organization-tags.ts';
import { isFlowQuestion } from '../flow/commands.ts';
import { OrganizationFlows } from '../flow/organization.ts';
import type { FanOutCommand } from '../outbox/fan-out.ts';
import { type Actor, StaleState } from '../runtime/actor.ts';
import type { World } from '../world.ts';
import { admit } from './admit.ts';
import { renderIdentity } from './caller.ts';
import { changeByActor, isActorChange } from './change.ts';
import type { EnsureTags } from './commands.ts';
import type { Counter } from './counters.ts';
import { loadOrganization, offerOrganization } from './documents.ts';
import type { EventFanOut } from './fan-out.ts';
import { operate } from './operate.ts';
import { OrganizationTags } from './tags.ts';

const UNAUTHORIZED: Answer = { status: 401, body: '{}' };
const ABSENT: Answer = { status: 404, body: '{}' };

function isEnsureTags(command: Command): command is EnsureTags {
  return command.type === 'ensure-tags';
}

function tagsAnswer(spelled: readonly string[]): Answer {
  return { status: 200, body: JSON.stringify(spelled) };
}

export interface OrganizationParts {
  readonly world: World;
  readonly fanOut: EventFanOut;
  readonly onAdmitted?: (orgId: string) => void;
}

interface Loaded extends Counter {
  readonly state: OrganizationState | null;
}

export interface CounterOfOne {
  readonly counter: () => Promise<Counter>;
  /** The actor is closed. */
  readonly release: () => void;
}

export class OrganizationActor implements Actor {
  readonly #id: string;
  readonly #world: World;
  readonly #fanOut: EventFanOut;
  readonly #flows: OrganizationFlows;
  readonly #tags: OrganizationTags;
  readonly #counters: CounterOfOne;
  readonly #onAdmitted: OrganizationParts['onAdmitted'];
  #loaded: Loaded | null = null;

  constructor(id: string, parts: OrganizationParts, counters: CounterOfOne) {
    const { world, fanOut, onAdmitted } = parts;
    this.#id = id;
    this.#onAdmitted = onAdmitted;
    this.#world = world;
    this.#fanOut = fanOut;
    this.#flows = new OrganizationFlows(world);
    this.#tags = new OrganizationTags(world.store, id);
    this.#counters = counters;
  }

  sharedHandler(command: Command): Answer | Promise<Answer> | undefined {
    if (!this.#loaded) return undefined;
    const { state, windows, admissions } = this.#loaded;
    if (command.type === 'admit') {
      if (!state) return UNAUTHORIZED;
      const { settings } = this.#world;
      // Asked again it is said again: a call counts once, and is not refused after it has run.
      const said = admissions.find(command.id);
      if (said) return said;
      const asked = command as AdmitCommand;
      const answer = admit({ state, windows, settings }, asked);
      if (answer.status === ADMITTED) this.#onAdmitted?.(this.#id);
      // To whom has asked before, an owner before this one may have said something else.
      const again = asked.repeat ? answer : { ...answer, headers: { [SAID_BEFORE]: 'true' } };
      admissions.keep(command.id, again);
      return answer;
    }
    if (command.type === 'fan-out') {
      return this.#fanOut.events(state, command as FanOutCommand);
    }
    if (isFlowQuestion(command)) return this.#flows.answer(state, command);
    if (!isEnsureTags(command)) return undefined;
    const spelled = this.#tags.remembered(command.tags);
    return spelled ? tagsAnswer(spelled) : undefined;
  }

  async turn(command: Command): Promise<Answer> {
    const loaded = await this.#load();
    const answered = this.sharedHandler(command);
    if (answered) return answered;
    if (command.type === 'me') return this.#describeKey(loaded, command as unknown as DescribeKey);
    if (isEnsureTags(command)) return this.#ensureTags(loaded, command);
    if (isActorChange(command)) {
      const { answer, next } = changeByActor(loaded.state, command);
      if (next) await this.#commit(next);
      return answer;
    }
    const operator = parseOrganizationCommand(command);
    if (!operator) throw new TypeError(`an organization knows no command ${command.type}`);
    const state = operator.type === 'apply' ? await this.#withTagsApart(loaded) : loaded.state;
    const offer = (next: OrganizationState) => this.#offer(next);
    return operate(this.#world, { state, command: operator, offer, tags: this.#tags });
  }

  /** Missing ones are made; the organization's own document does not change. */
  async #ensureTags(loaded: Loaded, { tags }: EnsureTags): Promise<Answer> {
    if (!loaded.state) return ABSENT;
    await this.#withTagsApart(loaded);
    const decision = decideTags(tags, await this.#tags.known(tags));
    if ('refused' in decision) return renderFailure(decision.refused);
    await this.#tags.make(decision.missing);
    return tagsAnswer(decision.spelled);
  }

  /** Tags of an earlier state leave the document; a move that was cut off is repeated. */
  async #withTagsApart({ state }: Loaded): Promise<OrganizationState | null> {
    if (!state?.tags) return state;
    const { tags, ...rest } = state;
    await this.#tags.add(tags);
    const next = { ...rest, version: state.version + 1 };
    await this.#commit(next);
    return next;
  }

  flush(): Promise<void> {
    return this.#loaded?.windows.flush() ?? Promise.resolve();
  }

  close(): void {
    this.#counters.release();
  }

  busy(): boolean {
    return this.#loaded?.windows.dirty ?? false;
  }

  async #load(): Promise<Loaded> {
    if (!this.#loaded) {
      const [state, counter] = await Promise.all([
        loadOrganization(this.#world.store, this.#id),
        this.#counters.counter(),
      ]);
      this.#loaded = { state, ...counter };
    }
    return this.#loaded;
  }

  async #commit(next: OrganizationState): Promise<void> {
    if (!(await this.#offer(next))) throw new StaleState(`organization ${this.#id}`);
  }

  /** False where another organization has a network number of it. */
  async #offer(next: OrganizationState): Promise<boolean> {
    const stored = await offerOrganization(this.#world.store, next);
    if (stored && this.#loaded) this.#loaded = { ...this.#loaded, state: next };
    return stored;
  }

  #describeKey({ state, windows }: Loaded, command: DescribeKey): Answer {
    const key = state?.keys.find((each) => each.id === command.keyId);
    if (!state || !key) return UNAUTHORIZED;
    const lastUsedAt = windows.lastUsedAt(key.id) ?? key.createdAt;
    return {
      status: 200,
      body: JSON.stringify({ data: renderIdentity(state, key, lastUsedAt) }),
    };
  }
}
