/**
 * Rows of flows: what runs, one flow's text, and its change. A change is an `apply` of an
 * organization's file with this flow alone. So the actor's check and commit are those of the
 * command line, and the rest of the organization stays as it is.
 */
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import {
  anyText,
  booleanField,
  isPlainObject,
  requestObject,
  wholeBetween,
} from '../../../shared/api/fields.ts';
import { FAILURES, failure } from '../../../shared/failures.ts';
import { ASK_DEADLINE_MS, FLOW_TEXT_MAX_CHARS } from '../../../shared/limits.ts';
import type { FlowProblem } from '../../../shared/panel/flow-text.ts';
import type { ProblemAt } from '../../../shared/problems/provisioning.ts';
import type { ApplyCommand } from '../../../shared/provisioning/commands.ts';
import { bodyOf } from '../../../shared/wire/answer.ts';
import type { FlowState } from '../../../shared/wire/queries.ts';
import { actingPerson } from '../../acting.ts';
import { answerReply, jsonReply, type Reply, refusalReply } from '../../http/respond.ts';
import { type ApiRoute, apiRoute } from '../../route.ts';
import { type ActingSession, type Panel, type SessionRoute, sessionRoute } from '../panel.ts';
import { askOrganization } from './ask-person.ts';

const TAG = 'Fluxos';
const answers = { 200: { description: 'A resposta.', schema: v.looseObject({}) } };

const listFlowStates = apiRoute({
  method: 'GET',
  path: '/panel/api/flows',
  operationId: 'listFlowStates',
  summary: 'Lista os fluxos, as suas etapas e quantas conversas esperam em cada uma.',
  tag: TAG,
  answers,
  plan: ({ caller: { orgId } }) => ({ to: 'query', resource: 'flow-states', payload: { orgId } }),
});

const listFlowRuns = apiRoute({
  method: 'GET',
  path: '/panel/api/flows/{id}/runs',
  operationId: 'listFlowRuns',
  summary: 'As últimas execuções de um fluxo: as em andamento e depois as terminadas.',
  tag: TAG,
  answers,
  plan({ caller: { orgId }, params }) {
    const payload = { orgId, flowId: params.id ?? '' };
    return { to: 'query', resource: 'flow-runs', payload };
  },
});

const findFlowRun = apiRoute({
  method: 'GET',
  path: '/panel/api/conversations/{id}/run',
  operationId: 'findFlowRun',
  summary: 'A execução do fluxo em andamento, ou do último, ou do que uma entrada terminou.',
  tag: TAG,
  query: requestObject({ endedSeq: v.optional(wholeBetween(1, Number.MAX_SAFE_INTEGER)) }),
  answers,
  plan({ caller: { orgId }, params, query: { endedSeq } }) {
    const conversation = { orgId, conversationId: params.id ?? '' };
    const payload = { ...conversation, ...(endedSeq === undefined ? {} : { endedSeq }) };
    return { to: 'query', resource: 'flow-run', payload };
  },
});

const enableFlow = apiRoute({
  method: 'POST',
  path: '/panel/api/flows/{id}',
  operationId: 'enableFlow',
  summary: 'Ativa ou desativa um fluxo.',
  tag: TAG,
  body: requestObject({ enabled: booleanField }),
  answers,
  async run({ caller: { orgId }, ids, params, body, ask }) {
    const payload = { orgId, flowId: params.id ?? '' };
    const read = { to: 'query', resource: 'flow-state', payload } as const;
    const seed = `${ids.fresh('seed')}${ids.fresh('seed')}`;
    const id = ids.fresh('cmd');
    const found = await ask(read);
    if (found.status !== 200) return found;
    const { organizationRef, written } = bodyOf(found);
    const entry = { ref: written.ref, enabled: body.enabled };
    const command = applyOf({ organizationRef, entry }, { id, seed });
    const address = { kind: 'organization', key: orgId } as const;
    const applied = await ask({ to: 'actor', address, command });
    return applied.status === 200 ? shownFlow(await ask(read)) : applied;
  },
});

/** The flow of an answer, without what only an `apply` needs. */
function shownFlow(found: Reply): Reply {
  if (found.status !== 200) return found;
  const { data, countedWhole }: FlowState = JSON.parse(found.body);
  return jsonReply(200, { data, countedWhole });
}

interface Entry {
  readonly organizationRef: string;
  readonly entry: unknown;
}

function applyOf(
  { organizationRef: ref, entry }: Entry,
  made: { readonly id: string; readonly seed: string },
): ApplyCommand {
  return { ...made, type: 'apply', check: false, organization: { ref, flows: [entry] } };
}

interface Named {
  readonly flowId: string;
  readonly requestId: string;
}

/** The flow as it is stored, or the refusal. */
async function readFlow(
  { gateway }: Panel,
  orgId: string,
  { flowId, requestId }: Named,
): Promise<FlowState | Reply> {
  const deadline = gateway.clock.now() + ASK_DEADLINE_MS;
  const options = { deadline, requestId };
  const answer = await gateway.bus.query('flow-state', { orgId, flowId }, options);
  return answer.status === 200 ? bodyOf(answer) : answerReply(answer);
}

async function flowReply(panel: Panel, orgId: string, named: Named): Promise<Reply> {
  const found = await readFlow(panel, orgId, named);
  if ('status' in found) return found;
  const { write } = await panel.flowText();
  const { data, countedWhole, written } = found;
  const yaml = write(written);
  return jsonReply(200, { data: { ...data, yaml, version: versionOf(yaml) }, countedWhole });
}

function versionOf(yaml: string): string {
  return createHash('sha256').update(yaml).digest('base64url');
}

const findFlowState = sessionRoute({
  method: 'GET',
  path: '/panel/api/flows/{id}',
  operationId: 'findFlowState',
  body: requestObject({}),
  async answer(panel, { params, requestId }, { key: { orgId } }) {
    if (orgId === '') return refusalReply(failure('organization_not_found'));
    return flowReply(panel, orgId, { flowId: params.id ?? '', requestId });
  },
});

const publishFlow = sessionRoute({
  method: 'POST',
  path: '/panel/api/flows/{id}/publish',
  operationId: 'publishFlow',
  // Of the text from which the editor began.
  body: requestObject({ yaml: anyText, version: v.optional(anyText) }),
  async answer(panel, { params, body, requestId, address }, { caller }) {
    if (!caller) return refusalReply(failure('organization_not_found'));
    const named = { flowId: params.id ?? '', requestId };
    if (body.yaml.length > FLOW_TEXT_MAX_CHARS) return refused([TOO_LONG]);
    const found = await readFlow(panel, caller.orgId, named);
    if ('status' in found) return found;
    const { parse, write } = await panel.flowText();
    if (body.version !== undefined && body.version !== versionOf(write(found.written))) {
      return refusalReply(failure('flow_changed'));
    }
    const parsed = parse(body.yaml);
    if ('unreadable' in parsed) return refused(parsed.unreadable);
    const { organizationRef, written } = found;
    const own = foreignParts(parsed.entry, written.ref);
    if (own.length > 0) return refused(parsed.problems(own));
    const answer = await apply(
      panel,
      { organizationRef, entry: parsed.entry },
      {
        ...{ caller, requestId, address },
      },
    );
    if (answer.status === 422) return refused(parsed.problems(problemsIn(answer.body)));
    return answer.status === 200 ? flowReply(panel, caller.orgId, named) : answerReply(answer);
  },
});

const TOO_LONG: FlowProblem = {
  path: '',
  problem: { code: 'textTooLong', params: { most: FLOW_TEXT_MAX_CHARS } },
  line: null,
  column: null,
};

function refused(problems: readonly FlowProblem[]): Reply {
  const { status, sentence: error } = FAILURES.invalid;
  return jsonReply(status, { error, problems });
}

const NOT_REMOVED = { code: 'notRemovedHere', params: {} } as const;

/** The editor changes this flow alone: it makes no other one, and removes none. */
function foreignParts(entry: unknown, ref: string): readonly ProblemAt[] {
  if (!isPlainObject(entry)) return [];
  const other = { code: 'mustStay', params: { ref } } as const;
  return [
    ...(entry.ref === ref ? [] : [{ path: 'flows.0.ref', problem: other }]),
    ...('remove' in entry ? [{ path: 'flows.0.remove', problem: NOT_REMOVED }] : []),
  ];
}

function problemsIn(body: string): readonly ProblemAt[] {
  const { problems = [] }: { problems?: readonly ProblemAt[] } = JSON.parse(body);
  return problems;
}

interface Asking extends Pick<Named, 'requestId'> {
  readonly caller: NonNullable<ActingSession['caller']>;
  readonly address: string;
}

function apply(panel: Panel, entry: Entry, { caller, requestId, address }: Asking) {
  const made = { id: panel.gateway.freshId('cmd'), seed: panel.makeSecret() };
  const by = actingPerson(caller, { operation: publishFlow.operationId, address });
  const command = { ...applyOf(entry, made), by };
  return askOrganization(panel, { key: caller.orgId, requestId }, command);
}

export const FLOW_ROUTES: readonly (ApiRoute | SessionRoute)[] = [
  listFlowStates,
  findFlowState,
  enableFlow,
  publishFlow,
  listFlowRuns,
  findFlowRun,
];
