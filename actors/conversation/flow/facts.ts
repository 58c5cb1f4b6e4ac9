/** Facts for a flow's step besides the conversation: the current contact and organization. */
import { GenerationalCache } from '../../../shared/generational-cache.ts';
import { ASK_DEADLINE_MS } from '../../../shared/limits.ts';
import { Budget } from '../../../shared/liquid/budget.ts';
import type { StepOf } from '../../../shared/provisioning/flow-steps.ts';
import { phoneKey } from '../../../shared/text/phone-spellings.ts';
import { bodyOfSuccess } from '../../../shared/wire/answer.ts';
import type { FetchedMedia } from '../../../shared/wire/fetched-media.ts';
import type { FetchMedia } from '../../../shared/wire/media-commands.ts';
import { anyOf, idsOfContact, readContact } from '../../contact/read-contact.ts';
import { isOptedOut, refusesMarketing } from '../../domain/contact.ts';
import type { ConversationState } from '../../domain/conversation/conversation.ts';
import { windowOf } from '../../domain/conversation/window.ts';
import type {
  ContactFacts,
  FlowContext,
  OrganizationFacts,
  StartableFlow,
} from '../../domain/flow/context.ts';
import { nameableStages } from '../../domain/stage-names.ts';
import type { Environment } from '../../environment.ts';
import type { FlowFound, LookUpFlow } from '../../model/flow.ts';
import type { FlowVersions } from '../../organization/flow-versions.ts';
import { pipelinesOf, readTeam } from '../../organization/team.ts';
import { findTemplate } from '../../template/find-template.ts';
import { lastReceived } from './last-received.ts';

const CACHED_MS = 1_000;
const ORGANIZATIONS_MAX = 1_000;

const ORGANIZATION_FIELDS = {
  name: 1,
  timeZone: 1,
  'channels.id': 1,
  'channels.provider': 1,
  'channels.phone': 1,
  'channels.removed': 1,
} as const;

type CachedFacts = { readonly at: number; readonly facts: OrganizationFacts };

export class FlowFacts {
  readonly #environment: Environment;
  readonly #versions: FlowVersions;
  readonly #organizations: GenerationalCache<string, CachedFacts>;

  constructor(environment: Environment, versions: FlowVersions, cachedMax = ORGANIZATIONS_MAX) {
    this.#environment = environment;
    this.#organizations = new GenerationalCache(cachedMax);
    this.#versions = versions;
  }

  /** The committed contact; its own actor answers from the same document. */
  async contact(id: string, known: { phone: string; name: string | null }): Promise<ContactFacts> {
    const found = await readContact(this.#environment.store, id);
    if (!found) {
      const { phone, name } = known;
      const noWishes = { optIn: false, optedOut: false, noMarketing: false };
      return { id, phone, name, email: null, fields: {}, tags: [], ...noWishes };
    }
    const { phone, name, email, fields, tags, optIn, firstAd } = found;
    const wishes = { optIn, optedOut: isOptedOut(found), noMarketing: refusesMarketing(found) };
    const brought = firstAd === undefined ? {} : { firstAd };
    return { id, phone, name, email, fields, tags, ...brought, ...wishes };
  }

  /** At most a second old. */
  async organization(orgId: string): Promise<OrganizationFacts> {
    const { store, clock } = this.#environment;
    const now = clock.monotonic();
    const known = this.#organizations.get(orgId);
    if (known && now - known.at < CACHED_MS) return known.facts;
    const found = await store.findOne(
      'organizations',
      { _id: orgId },
      { project: ORGANIZATION_FIELDS },
    );
    const channels = found?.channels ?? [];
    const web = channels.filter(({ provider }) => provider === 'web');
    const present = channels.filter(({ removed }) => removed !== true);
    const facts = {
      name: found?.name ?? '',
      timeZone: found?.timeZone ?? 'UTC',
      webChannels: web.map(({ id }) => id),
      ownNumbers: new Set(present.map(({ phone }) => phoneKey(phone))),
    };
    this.#organizations.set(orgId, { at: now, facts });
    return facts;
  }

  /** The flow with its version, which is written; null where it does not exist or was removed. */
  async lookUp(orgId: string, flowId: string): Promise<FlowFound | null> {
    const { bus, ids, clock } = this.#environment;
    const command: LookUpFlow = { id: ids.fresh('cmd'), type: 'flow-look-up', flowId };
    const to = { kind: 'organization', key: orgId } as const;
    const answer = await bus.ask(to, command, { deadline: clock.now() + ASK_DEADLINE_MS });
    if (answer.status === 404) return null;
    return bodyOfSuccess(answer, 'the flow was not looked up');
  }

  async startable({ flowId, name, versionId }: FlowFound): Promise<StartableFlow> {
    const version = await this.#versions.find(versionId);
    if (!version) throw new Error(`the flow's version ${versionId} is not there`);
    return { flowId, name, versionId, ...version };
  }

  /** The facts that the run's current step may need; null where the step no longer exists. */
  async contextOf(state: ConversationState): Promise<FlowContext | null> {
    const { run, contact } = state;
    const version = run && (await this.#versions.find(run.versionId));
    const step = run && version?.steps.get(run.stepId);
    if (!run || !version || !step) return null;
    const { ids } = this.#environment;
    const [contactFacts, org] = await Promise.all([
      this.contact(contact.id, contact),
      this.organization(state.orgId),
    ]);
    const visit = [run.id, run.stepId, String(run.visit)];
    return {
      ...this.#networkFacts(state, org),
      budget: new Budget(run.spent),
      steps: version.steps,
      org,
      contact: contactFacts,
      nameOf: (prefix) => ids.derive(prefix, ...visit),
      ...(step.do === 'start' ? { other: await this.#other(state, step.flow) } : {}),
      ...(step.do === 'send' ? await this.#sendFacts(state, step) : {}),
      ...(step.do === 'deal' ? await this.#dealFacts(state, run.dealId) : {}),
    };
  }

  #networkFacts(state: ConversationState, { webChannels = [] }: OrganizationFacts) {
    const now = this.#environment.clock.now();
    const isWeb = webChannels.includes(state.channelId);
    return isWeb
      ? ({ now, provider: 'web', window: 'open' } as const)
      : ({ now, provider: 'cloud', window: windowOf(state, now) } as const);
  }

  async #sendFacts(state: ConversationState, step: StepOf<'send'>): Promise<Partial<FlowContext>> {
    const { file, text, reaction, reply, template = step.fallbackTemplate } = step;
    const header = template?.header?.file;
    const named = reaction !== undefined || reply === true;
    const { store } = this.#environment;
    return {
      ...(file === undefined ? {} : { file: await this.#file(state, file, text !== undefined) }),
      ...(header === undefined ? {} : { headerFile: await this.#file(state, header, false) }),
      ...(named ? { lastReceivedId: (await lastReceived(store, state))?._id ?? null } : {}),
      ...(template ? { template: await findTemplate(this.#environment, state, template) } : {}),
    };
  }

  async #other(state: ConversationState, flowId: string): Promise<StartableFlow | null> {
    const found = await this.lookUp(state.orgId, flowId);
    const here = found?.channelId === null || found?.channelId === state.channelId;
    return found?.enabled && here ? this.startable(found) : null;
  }

  /** The channel prepares the file as it does for the API; a repeat gives the same result. */
  async #file(
    { orgId, channelId }: ConversationState,
    fileId: string,
    captioned: boolean,
  ): Promise<FetchedMedia | null> {
    const { bus, ids, clock } = this.#environment;
    const command: FetchMedia = {
      id: ids.fresh('cmd'),
      type: 'fetch-media',
      orgId,
      mediaId: ids.fresh('med'),
      from: { fileId },
      captionedBy: captioned ? 'text' : null,
    };
    const to = { kind: 'channel', key: channelId } as const;
    const answer = await bus.ask(to, command, { deadline: clock.now() + ASK_DEADLINE_MS });
    if (answer.status >= 400 && answer.status < 500) return null;
    return bodyOfSuccess(answer, 'the file was not made ready');
  }

  async #dealFacts({ orgId, contact }: ConversationState, ownId: string | null) {
    const { store } = this.#environment;
    const contacts = await idsOfContact(store, contact.id);
    const [team, own, deal] = await Promise.all([
      readTeam(this.#environment, orgId),
      ownId === null ? null : store.byId('deals', ownId),
      store.findOne(
        'deals',
        { 'state.orgId': orgId, 'state.contactId': anyOf(contacts), 'state.status': 'open' },
        { sort: { 'state.updatedAt': -1, _id: -1 }, project: { _id: 1 } },
      ),
    ]);
    const pipelines = await pipelinesOf(this.#environment, orgId, team.pipelines);
    return {
      dealId: deal?._id ?? null,
      ownDeal: own?.state.status ?? null,
      stages: nameableStages(pipelines, team.formerStageNames),
    };
  }
}
