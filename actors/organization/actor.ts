/**
 * Actor of one organization: admits every call, holds the configuration, fans out its events.
 * Admission and fan-out do not change its document: a shared handler answers them.
 */

import { renderFailure } from '../../shared/failures.ts';
import type { Answer, Command } from '../../shared/ports/bus.ts';
import { parseOrganizationCommand } from '../../shared/provisioning/commands.ts';
import { ADMITTED, type AdmitCommand, REPEATED } from '../../shared/wire/caller.ts';
import type { DescribeKey } from '../../shared/wire/commands.ts';
import type { OrganizationState } from '../domain/organization/state.ts';
import { decideTags } from '../domain/organization/tags.ts';
import type { Environment } from '../environment.ts';
import { isFlowQuestion } from '../flow/commands.ts';
import { OrganizationFlows } from '../flow/organization.ts';
import type { FanOutCommand } from '../outbox/fan-out.ts';
import { type Actor, StaleState } from '../runtime/actor.ts';
import { decideActorCommand, isActorCommand } from './actor-commands.ts';
import type { AdmissionState } from './admission-states.ts';
import { admit } from './admit.ts';
import { renderIdentity } from './caller.ts';
import type { EnsureTags } from './commands.ts';
import { compareAndSetOrganization, loadOrganization } from './documents.ts';
import type { EventFanOut } from './fan-out.ts';
import { executeOperatorCommand } from './operator-commands.ts';
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
  readonly environment: Environment;
  readonly fanOut: EventFanOut;
  readonly onAdmitted?: (orgId: string) => void;
}

interface Loaded extends AdmissionState {
  readonly state: OrganizationState | null;
}

export interface AdmissionStateHandle {
  readonly load: () => Promise<AdmissionState>;
  /** Called when the actor is closed. */
  readonly release: () => void;
}

export class OrganizationActor implements Actor {
  readonly #id: string;
  readonly #environment: Environment;
  readonly #fanOut: EventFanOut;
  readonly #flows: OrganizationFlows;
  readonly #tags: OrganizationTags;
  readonly #admissionState: AdmissionStateHandle;
  readonly #onAdmitted: OrganizationParts['onAdmitted'];
  #loaded: Loaded | null = null;

  constructor(id: string, parts: OrganizationParts, admissionState: AdmissionStateHandle) {
    const { environment, fanOut, onAdmitted } = parts;
    this.#id = id;
    this.#onAdmitted = onAdmitted;
    this.#environment = environment;
    this.#fanOut = fanOut;
    this.#flows = new OrganizationFlows(environment);
    this.#tags = new OrganizationTags(environment.store, id);
    this.#admissionState = admissionState;
  }

  sharedHandler(command: Command): Answer | Promise<Answer> | undefined {
    if (!this.#loaded) return undefined;
    const { state, windows, admissions } = this.#loaded;
    if (command.type === 'admit') {
      if (!state) return UNAUTHORIZED;
      const { settings } = this.#environment;
      // A repeated admission gets its first answer: a call counts once and is not refused after it
      // has run.
      const answered = admissions.find(command.id);
      if (answered) return answered;
      const asked = command as AdmitCommand;
      const answer = admit({ state, windows, settings }, asked);
      if (answer.status === ADMITTED) this.#onAdmitted?.(this.#id);
      // The previous owner may have answered a repeat differently: only a first answer is marked.
      const again = asked.repeat ? answer : { ...answer, headers: { [REPEATED]: 'true' } };
      admissions.keep(command.id, again);
      return answer;
    }
    if (command.type === 'fan-out') {
      return this.#fanOut.events(state, command as FanOutCommand);
    }
    if (isFlowQuestion(command)) return this.#flows.answer(state, command);
    if (!isEnsureTags(command)) return undefined;
    const spelled = this.#tags.cached(command.tags);
    return spelled ? tagsAnswer(spelled) : undefined;
  }

  async turn(command: Command): Promise<Answer> {
    const loaded = await this.#load();
    const answered = this.sharedHandler(command);
    if (answered) return answered;
    if (command.type === 'me') return this.#describeKey(loaded, command as unknown as DescribeKey);
    if (isEnsureTags(command)) return this.#ensureTags(loaded, command);
    if (isActorCommand(command)) {
      const { answer, next } = decideActorCommand(loaded.state, command);
      if (next) await this.#commit(next);
      return answer;
    }
    const operator = parseOrganizationCommand(command);
    if (!operator) throw new TypeError(`an organization knows no command ${command.type}`);
    const state = operator.type === 'apply' ? await this.#withTagsApart(loaded) : loaded.state;
    const compareAndSet = (next: OrganizationState) => this.#compareAndSet(next);
    return executeOperatorCommand(this.#environment, {
      state,
      command: operator,
      compareAndSet,
      tags: this.#tags,
    });
  }

  /** Creates missing tags; the organization's own document does not change. */
  async #ensureTags(loaded: Loaded, { tags }: EnsureTags): Promise<Answer> {
    if (!loaded.state) return ABSENT;
    await this.#withTagsApart(loaded);
    const decision = decideTags(tags, await this.#tags.known(tags));
    if ('refused' in decision) return renderFailure(decision.refused);
    await this.#tags.create(decision.missing);
    return tagsAnswer(decision.spelled);
  }

  /** Moves tags of an earlier release out of the document; an interrupted move is repeated. */
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
    this.#admissionState.release();
  }

  busy(): boolean {
    return this.#loaded?.windows.dirty ?? false;
  }

  async #load(): Promise<Loaded> {
    if (!this.#loaded) {
      const [state, admissionState] = await Promise.all([
        loadOrganization(this.#environment.store, this.#id),
        this.#admissionState.load(),
      ]);
      this.#loaded = { state, ...admissionState };
    }
    return this.#loaded;
  }

  async #commit(next: OrganizationState): Promise<void> {
    if (!(await this.#compareAndSet(next))) throw new StaleState(`organization ${this.#id}`);
  }

  /** False where another organization has one of its network numbers. */
  async #compareAndSet(next: OrganizationState): Promise<boolean> {
    const stored = await compareAndSetOrganization(this.#environment.store, next);
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
