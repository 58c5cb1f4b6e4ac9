/**
 * One organization in memory: admission of every call, configuration, fan-out of its events.
 * The hot commands (admission, fan-out) commit nothing here and are answered beside the mailbox.
 */
import { type AdmitCommand, SAID_BEFORE } from '../../shared/caller.ts';
import type { DescribeKey } from '../../shared/commands.ts';
import type { Answer, Command } from '../../shared/ports.ts';
import { parseOrganizationCommand } from '../../shared/provisioning/commands.ts';
import type { OrganizationState } from '../domain/organization-state.ts';
import { isFlowQuestion } from '../flow/commands.ts';
import { OrganizationFlows } from '../flow/organization.ts';
import type { FanOutCommand } from '../outbox/fan-out.ts';
import type { Actor } from '../runtime/actor.ts';
import type { World } from '../world.ts';
import { admit } from './admit.ts';
import { renderIdentity } from './caller.ts';
import { changeByActor, isActorChange } from './change.ts';
import type { Counter } from './counters.ts';
import { commitOrganization, loadOrganization } from './documents.ts';
import type { EventFanOut } from './fan-out.ts';
import { operate } from './operate.ts';

const UNAUTHORIZED: Answer = { status: 401, body: '{}' };

export interface OrganizationParts {
  readonly world: World;
  readonly fanOut: EventFanOut;
}

interface Loaded extends Counter {
  readonly state: OrganizationState | null;
}

export class OrganizationActor implements Actor {
  readonly #id: string;
  readonly #world: World;
  readonly #fanOut: EventFanOut;
  readonly #flows: OrganizationFlows;
  readonly #counter: () => Promise<Counter>;
  #loaded: Loaded | null = null;

  constructor(id: string, { world, fanOut }: OrganizationParts, counter: () => Promise<Counter>) {
    this.#id = id;
    this.#world = world;
    this.#fanOut = fanOut;
    this.#flows = new OrganizationFlows(world);
    this.#counter = counter;
  }

  beside(command: Command): Answer | Promise<Answer> | undefined {
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
      // To whom has asked before, an owner before this one may have said something else.
      const again = asked.repeat ? answer : { ...answer, headers: { [SAID_BEFORE]: 'true' } };
      admissions.keep(command.id, again);
      return answer;
    }
    if (command.type === 'fan-out') {
      return this.#fanOut.events(state, command as FanOutCommand);
    }
    return isFlowQuestion(command) ? this.#flows.answer(state, command) : undefined;
  }

  async turn(command: Command): Promise<Answer> {
    const loaded = await this.#load();
    const answered = this.beside(command);
    if (answered) return answered;
    if (command.type === 'me') return this.#describeKey(loaded, command as unknown as DescribeKey);
    if (isActorChange(command)) {
      const { answer, next } = changeByActor(loaded.state, command);
      if (next) await this.#commit(next);
      return answer;
    }
    const operator = parseOrganizationCommand(command);
    if (!operator) throw new TypeError(`an organization knows no command ${command.type}`);
    const commit = (next: OrganizationState) => this.#commit(next);
    return operate(this.#world, { state: loaded.state, command: operator, commit });
  }

  flush(): Promise<void> {
    return this.#loaded?.windows.flush() ?? Promise.resolve();
  }

  busy(): boolean {
    return this.#loaded?.windows.dirty ?? false;
  }

  async #load(): Promise<Loaded> {
    if (!this.#loaded) {
      const [state, counter] = await Promise.all([
        loadOrganization(this.#world.store, this.#id),
        this.#counter(),
      ]);
      this.#loaded = { state, ...counter };
    }
    return this.#loaded;
  }

  async #commit(next: OrganizationState): Promise<void> {
    await commitOrganization(this.#world.store, next);
    if (this.#loaded) this.#loaded = { ...this.#loaded, state: next };
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
