/**
 * Kind of organizations and their actor: admits every call, holds the configuration. Admission does
 * not change its document: a shared handler answers it.
 */
import type { Identity } from '../../shared/api/identity.ts';
import { failure, renderFailure } from '../../shared/failures.ts';
import type { Answer, AnswerOf, CommandOf } from '../../shared/ports/bus.ts';
import { parseOrganizationCommand } from '../../shared/provisioning/commands.ts';
import { answerOf, DONE } from '../../shared/wire/answer.ts';
import type { RecordAudit } from '../../shared/wire/audit.ts';
import type { Admission, AdmitCommand } from '../../shared/wire/caller.ts';
import type { DescribeKey } from '../../shared/wire/commands.ts';
import type { PipelineCommand } from '../../shared/wire/pipeline-commands.ts';
import { accessChanges, withPersons } from '../domain/organization/members.ts';
import { changedStreams } from '../domain/organization/streams.ts';
import type { OrganizationState } from '../domain/organization.ts';
import { decideTags } from '../domain/tags.ts';
import type { Environment } from '../environment.ts';
import type { EnsureTags } from '../model/organization.ts';
import { type Actor, StaleState, type TurnContext } from '../runtime/kind.ts';
import { decideActorCommand, isActorCommand } from './actor-commands.ts';
import { type AdmissionState, admit } from './admission.ts';
import { renderIdentity } from './caller.ts';
import {
  compareAndSetOrganization,
  loadOrganization,
  OrganizationTags,
  writeAudit,
} from './documents.ts';
import { OrganizationFlows } from './flows.ts';
import { answerLibrary, isLibraryCommand, type LibraryCommand } from './library.ts';
import { executeOperatorCommand } from './operator-commands.ts';
import {
  admitOperator,
  admitSession,
  answerSessionCommand,
  describedSession,
  isSessionCommand,
  type SessionCommand,
} from './people.ts';
import { answerPipelines, isPipelineCommand } from './pipelines.ts';
import { answerQuickReplies, isQuickReplyCommand } from './quick-replies.ts';
import { RecentEvents } from './recent-events.ts';
import { OrganizationSessions } from './sessions.ts';
import { forgetEverywhere } from './views.ts';

const UNAUTHORIZED: Answer = { status: 401, body: '{}' };
const ABSENT: Answer = { status: 404, body: '{}' };

function admissionAnswer(admission: Admission): Answer {
  return { status: 200, body: '', admission };
}

/** Its slice, and the rest: a repeat may come from another process, and gets none. */
function parted(admission: Admission) {
  if (!('slice' in admission)) return { once: admission, slice: undefined };
  const { slice, ...once } = admission;
  return { once, slice };
}

export interface OrganizationParts {
  readonly environment: Environment;
  readonly onAdmitted?: (orgId: string) => void;
  readonly onChangeKnown?: (ms: number) => void;
  /** A stage may have been removed. */
  readonly onStagesLeft?: () => void;
}

interface Loaded extends AdmissionState {
  readonly state: OrganizationState | null;
}

export interface AdmissionStateHandle {
  readonly load: () => Promise<AdmissionState>;
  /** Called when the actor is closed. */
  readonly release: () => void;
}

export class OrganizationActor implements Actor<'organization'> {
  readonly #id: string;
  readonly #parts: OrganizationParts;
  readonly #flows: OrganizationFlows;
  readonly #tags: OrganizationTags;
  readonly #sessions: OrganizationSessions;
  readonly #admissionState: AdmissionStateHandle;
  readonly #recentEvents: RecentEvents;
  #loaded: Loaded | null = null;
  /** Of the turn under way: changes that not every process knows of yet. */
  #announcements: Promise<void>[] = [];

  constructor(id: string, parts: OrganizationParts, admissionState: AdmissionStateHandle) {
    this.#id = id;
    this.#parts = parts;
    this.#flows = new OrganizationFlows(parts.environment);
    this.#tags = new OrganizationTags(parts.environment.store, id);
    this.#sessions = new OrganizationSessions(parts.environment, id);
    this.#admissionState = admissionState;
    this.#recentEvents = new RecentEvents(parts.environment, id);
  }

  sharedHandler(command: CommandOf<'organization'>): Answer | Promise<Answer> | undefined {
    if (!this.#loaded) return undefined;
    const { state } = this.#loaded;
    if (command.type === 'admit') {
      if (!state) return admissionAnswer({ outcome: 'unauthorized' });
      return this.#admit(this.#loaded, state, command);
    }
    if (command.type === 'show-events') {
      this.#recentEvents.add(command.events);
      return DONE;
    }
    if (command.type === 'list-recent-events') return this.#recentEvents.list(command);
    if (command.type === 'describe-session' && state) {
      const session = this.#sessions.cachedById(command.sessionId);
      if (session === undefined) return undefined;
      return describedSession({ environment: this.#parts.environment, state }, session);
    }
    if (command.type === 'record-audit') return this.#recordAudit(command);
    if (command.type !== 'ensure-tags') return this.#flows.answer(state, command);
    const spelled = this.#tags.cached(command.tags);
    return spelled ? answerOf(spelled) : undefined;
  }

  /** Undefined while a session is not in memory: the call waits for its turn, which reads it. */
  #admit(
    { windows, sessionWindows, admissions }: Loaded,
    state: OrganizationState,
    command: AdmitCommand,
  ): Answer | Promise<Answer> | undefined {
    const { environment, onAdmitted } = this.#parts;
    const { settings, clock } = environment;
    const session = command.of === 'session' ? this.#sessions.cached(command.digest) : null;
    if (session === undefined) return undefined;
    // A repeated admission gets its first answer: a call counts once and is not refused after it
    // has run.
    const answered = admissions.find(command.id);
    if (answered) return answered;
    const people = { state, windows: sessionWindows, now: clock.now() };
    const admission =
      command.of === undefined
        ? admit(state, { windows, settings, now: people.now }, command)
        : command.of === 'operator'
          ? admitOperator(people, command)
          : admitSession(people, session, command);
    if (session && admission.outcome !== 'unauthorized') {
      this.#sessions.touch(command.digest, session);
    }
    if (admission.outcome === 'admitted') onAdmitted?.(this.#id);
    const { once, slice } = parted(admission);
    // The previous owner may have answered a repeat differently: only a first answer is marked.
    const again = command.repeat ? once : { ...once, givenBefore: true as const };
    admissions.keep(command.id, admissionAnswer(again));
    if (!slice) return admissionAnswer(admission);
    // No later owner may give away the same calls.
    return windows.flush().then((isJournaled) => {
      if (!isJournaled) windows.takeBack(slice);
      return admissionAnswer(isJournaled ? admission : once);
    });
  }

  async turn(
    command: CommandOf<'organization'>,
    { repeat }: Pick<TurnContext, 'repeat'>,
  ): Promise<Answer> {
    const loaded = await this.#load();
    if (command.type === 'admit' && command.of === 'session') {
      await this.#sessions.load(command.digest);
    }
    const answered = this.sharedHandler(command);
    if (answered) return answered;
    if (command.type === 'me') return this.#describeKey(loaded, command);
    if (command.type === 'ensure-tags') return this.#ensureTags(loaded, command);
    if (isSessionCommand(command)) return this.#answerPeople(loaded, command, repeat);
    if (isQuickReplyCommand(command)) {
      return answerQuickReplies(this.#parts.environment, this.#id, command);
    }
    // A crash may have come between a commit and the last process that learned of it.
    if (repeat) this.#announce();
    if (isPipelineCommand(command)) return this.#answerPipelines(loaded, command);
    if (isLibraryCommand(command)) return this.#answerLibrary(loaded, command, repeat);
    if (isActorCommand(command)) {
      const now = this.#parts.environment.clock.now();
      const { answer, next } = decideActorCommand(loaded.state, command, now);
      if (next && !(await this.#compareAndSet(next))) {
        throw new StaleState(`organization ${this.#id}`);
      }
      return answer;
    }
    const { by, lasting = false } = command;
    const operator = parseOrganizationCommand(command);
    if (!operator) throw new TypeError(`an organization knows no command ${command.type}`);
    // A crash may have come between a change of members and the end of their sessions.
    if (repeat && loaded.state) await this.#sessions.endRefused(loaded.state);
    return executeOperatorCommand(this.#parts.environment, {
      state: loaded.state,
      ...{ command: operator, lasting },
      ...(by === undefined ? {} : { by }),
      compareAndSet: (next) => this.#compareAndSet(next),
      tags: this.#tags,
      lastUsedAt: (keyId) => loaded.windows.lastUsedAt(keyId),
    });
  }

  async #answerPipelines({ state }: Loaded, command: PipelineCommand): Promise<Answer> {
    const { environment } = this.#parts;
    const commit = (next: OrganizationState) => this.#compareAndSet(next);
    return answerPipelines({ environment, state, commit }, command);
  }

  async #answerLibrary(
    { state }: Loaded,
    command: LibraryCommand,
    repeat: boolean,
  ): Promise<Answer> {
    if (!state) return ABSENT;
    const { environment } = this.#parts;
    const commit = (next: OrganizationState) => this.#compareAndSet(next);
    return answerLibrary({ environment, state, commit }, command, repeat);
  }

  async #answerPeople(
    { state }: Loaded,
    command: SessionCommand,
    repeat: boolean,
  ): Promise<Answer> {
    if (!state) return renderFailure(failure('organization_not_found'));
    const { environment } = this.#parts;
    const people = { environment, state, sessions: this.#sessions };
    return answerSessionCommand(people, command, repeat);
  }

  async #recordAudit({ entry }: RecordAudit): Promise<Answer> {
    await writeAudit(this.#parts.environment.store, this.#id, [entry]);
    return DONE;
  }

  /** Creates missing tags; the organization's own document does not change. */
  async #ensureTags({ state }: Loaded, { tags }: EnsureTags): Promise<AnswerOf<readonly string[]>> {
    if (!state) return ABSENT;
    await this.#tags.join(tags);
    const decision = decideTags(tags, await this.#tags.known(tags));
    if ('refused' in decision) return renderFailure(decision.refused);
    await this.#tags.create(decision.missing);
    return answerOf(decision.spelled);
  }

  async flush(): Promise<void> {
    await this.#loaded?.windows.flush();
  }

  close(): void {
    this.#admissionState.release();
  }

  busy(): boolean {
    return this.#loaded?.windows.dirty ?? false;
  }

  async #load(): Promise<Loaded> {
    if (!this.#loaded) {
      const { store, ids } = this.#parts.environment;
      const [stored, admissionState] = await Promise.all([
        loadOrganization(store, this.#id),
        this.#admissionState.load(),
      ]);
      const state = stored && withPersons(stored, ids);
      if (state && state !== stored) await compareAndSetOrganization(store, state);
      // A commit whose entries its owner did not write.
      await writeAudit(store, this.#id, state?.audit ?? []);
      this.#loaded = { state, ...admissionState };
    }
    return this.#loaded;
  }

  /** False where another organization has one of its network numbers. */
  async #compareAndSet(next: OrganizationState): Promise<boolean> {
    const { store, live, bus, clock } = this.#parts.environment;
    const stored = await compareAndSetOrganization(store, next);
    if (!stored || !this.#loaded) return stored;
    const { state } = this.#loaded;
    this.#loaded = { ...this.#loaded, state: next };
    // Refused from now on by their member; a later access must not bring them back.
    for (const memberId of accessChanges(state?.members ?? [], next.members)) {
      await this.#sessions.end({ memberId });
    }
    for (const id of changedStreams({ before: state, after: next }, clock.now())) {
      bus.nudge({ kind: 'subscription', key: id }, { streamId: id });
    }
    live.changed(next.id, 'organization', { id: next.id, seq: next.version });
    if (next.leftStages !== state?.leftStages) this.#parts.onStagesLeft?.();
    this.#announce();
    await writeAudit(store, this.#id, next.audit ?? []);
    return true;
  }

  /** The turn's answer waits for it, and no other call: a process that is cut off answers late. */
  #announce(): void {
    const { environment, onChangeKnown } = this.#parts;
    const startedAt = environment.clock.monotonic();
    const known = forgetEverywhere(environment, this.#id).then(() =>
      onChangeKnown?.(environment.clock.monotonic() - startedAt),
    );
    known.catch(() => undefined);
    this.#announcements.push(known);
  }

  answersAfter(): Promise<unknown> | null {
    const announcements = this.#announcements.splice(0);
    return announcements.length > 0 ? Promise.all(announcements) : null;
  }

  #describeKey({ state, windows }: Loaded, { keyId }: DescribeKey): AnswerOf<{ data: Identity }> {
    const key = state?.keys.find((each) => each.id === keyId);
    if (!state || !key) return UNAUTHORIZED;
    const lastUsedAt = windows.lastUsedAt(key.id) ?? key.createdAt;
    return answerOf({ data: renderIdentity(state, key, lastUsedAt) });
  }
}
