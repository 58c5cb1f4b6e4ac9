/**
 * Administration of templates over Graph: an account's list, and one template by its id.
 *
 * Sources: facebook/openapi (v23.0), `/{WABA-ID}/message_templates` and `/{TEMPLATE_ID}`; Meta,
 * "Manage templates" and "Template quality rating" (2026); david-lev/pywa 4.4.0, api.py, for
 * filters and answers. The document has no status for a missing permission: 403, as the codes 200
 * to 299 of the reference.
 */
import { type Exchange, readBody } from '../../http/exchange.ts';
import type { SimulatorState } from '../../state/simulator-state.ts';
import type { WebhookEntry } from '../../webhooks/entry.ts';
import { componentsEntry, statusEntry } from '../../webhooks/template-events.ts';
import {
  graphError,
  graphProblem,
  jsonReply,
  type Reply,
  unknownObject,
  unknownPath,
} from '../schema/errors.ts';
import { readDraft, readEdit } from '../templates/input.ts';
import { listTemplates, shownTemplate } from '../templates/list.ts';
import type { Template } from '../templates/types.ts';
import { MANAGEMENT } from '../token-scopes.ts';

const EDITABLE: ReadonlySet<string> = new Set(['APPROVED', 'REJECTED', 'PAUSED']);
const EDGE = 'message_templates';

interface Asked {
  readonly object: string;
  readonly edge: string;
  readonly token: string;
}

/** Null for a question that is not about templates or their account. */
export async function answerOfTemplates(
  simulator: SimulatorState,
  exchange: Exchange,
  asked: Asked,
): Promise<Reply | null> {
  const { object, edge, token } = asked;
  if (edge !== '' && edge !== EDGE) return null;
  // Numbers have no templates, and a search for their account would pull the channels each time.
  if (edge === '' && simulator.directory.known().byNumber(object).length > 0) return null;
  const template = edge === '' ? simulator.templates.byId(object) : undefined;
  const accountId = template?.accountId ?? object;
  const reached = await simulator.directory.find((set) => {
    const channels = set.byAccount(accountId);
    return channels.some(({ network }) => network.accessToken === token) || undefined;
  });
  const { method, path } = exchange;
  if (reached === undefined) {
    return edge === EDGE || template !== undefined ? unknownObject(method, object) : null;
  }
  if (!simulator.scopes.has(token, MANAGEMENT)) {
    return graphError(200, `Requires ${MANAGEMENT} permission to manage the object.`);
  }
  if (template !== undefined) return answerOfTemplate(simulator, exchange, template);
  if (edge === '') return method === 'GET' ? describeAccount(object) : unknownPath(path);
  switch (method) {
    case 'GET':
      return listTemplates(simulator.templates.list(object), exchange);
    case 'POST':
      return create(simulator, exchange, object);
    case 'DELETE':
      return remove(simulator, exchange, object);
    default:
      return unknownPath(path);
  }
}

function describeAccount(id: string): Reply {
  const name = 'Sandbox';
  const message_template_namespace = `sandbox_${id}`;
  return jsonReply({ id, name, timezone_id: '25', currency: 'BRL', message_template_namespace });
}

async function answerOfTemplate(
  simulator: SimulatorState,
  exchange: Exchange,
  template: Template,
): Promise<Reply> {
  const { method, path } = exchange;
  if (method === 'GET') return shownTemplate(template, exchange);
  return method === 'POST' ? edit(simulator, exchange, template) : unknownPath(path);
}

async function create(
  simulator: SimulatorState,
  exchange: Exchange,
  accountId: string,
): Promise<Reply> {
  const read = readDraft((await readBody(exchange.request)).toString('utf8'));
  if ('reply' in read) return read.reply;
  const { name, language } = read.value;
  if (simulator.templates.find(accountId, name, language) !== undefined) {
    const title = 'Content in This Language Already Exists';
    const message = `There is already ${language} content for this template.`;
    return graphProblem({ code: 100, subcode: 2388024, title, message });
  }
  const { id, status, category } = simulator.templates.add(accountId, read.value);
  return jsonReply({ id, status, category });
}

async function edit(
  simulator: SimulatorState,
  exchange: Exchange,
  template: Template,
): Promise<Reply> {
  const read = readEdit((await readBody(exchange.request)).toString('utf8'), template);
  if ('reply' in read) return read.reply;
  const { category } = read.value;
  if (!EDITABLE.has(template.status)) {
    return graphError(100, `A template of status ${template.status} cannot be edited.`);
  }
  if (template.status === 'APPROVED' && category !== undefined && category !== template.category) {
    return graphError(100, 'The category of an approved template cannot be edited.');
  }
  const changed = simulator.templates.change(template, {
    ...read.value,
    status: 'PENDING',
    rejectedReason: 'NONE',
  });
  if (read.value.components !== undefined) tell(simulator, changed, componentsEntry(changed));
  return jsonReply({
    success: true,
    id: changed.id,
    name: changed.name,
    category: changed.category,
  });
}

function remove(simulator: SimulatorState, { query }: Exchange, accountId: string): Reply {
  const asked = new URLSearchParams(query);
  const name = asked.get('name');
  const id = asked.get('hsm_id');
  if (name === null) return graphError(100, 'The parameter name is required.');
  const found = simulator.templates
    .list(accountId)
    .filter((each) => each.name === name && (id === null || each.id === id));
  if (found.length === 0) {
    const title = 'Message Template Not Found';
    const message = 'There is no message template of this name and id.';
    return graphProblem({ code: 100, subcode: 2593002, title, message });
  }
  for (const template of found) {
    simulator.templates.remove(template);
    tell(simulator, template, statusEntry(template, 'DELETED'));
  }
  return jsonReply({ success: true });
}

/** To every channel of the account, in order with the other news of it. */
function tell(simulator: SimulatorState, { accountId }: Template, entry: WebhookEntry): void {
  for (const { channelId } of simulator.directory.known().byAccount(accountId)) {
    simulator.webhookQueues.queue(channelId, accountId, entry);
  }
}
