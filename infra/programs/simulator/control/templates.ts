/** Controls of templates: their reviews, drifts, and removal, with the webhooks of each change. */
import * as v from 'valibot';
import { componentsSchema } from '../cloud/templates/components.ts';
import { exampleProblem, languageSchema, nameSchema } from '../cloud/templates/input.ts';
import { wholeTemplate } from '../cloud/templates/list.ts';
import {
  PARAMETER_FORMATS,
  TEMPLATE_CATEGORIES,
  TEMPLATE_QUALITIES,
  TEMPLATE_STATUSES,
  type Template,
  type TemplateDraft,
} from '../cloud/templates/types.ts';
import { type Exchange, respondJson } from '../http/exchange.ts';
import { accountOf, type ChannelSet, type SimulatedChannel } from '../network/channels.ts';
import type { SimulatorState } from '../state/simulator-state.ts';
import type { WebhookEntry } from '../webhooks/entry.ts';
import {
  categoryEntry,
  componentsEntry,
  qualityEntry,
  statusEntry,
} from '../webhooks/template-events.ts';
import { readInput, respondWhenAccepted } from './input.ts';

export const TemplateSchema = v.object({
  businessAccountId: v.optional(v.string()),
  /** In place of the account: a number of it. */
  phoneNumberId: v.optional(v.string()),
  name: nameSchema,
  language: languageSchema,
  status: v.optional(v.picklist(TEMPLATE_STATUSES)),
  category: v.optional(v.picklist(TEMPLATE_CATEGORIES)),
  quality: v.optional(v.picklist(TEMPLATE_QUALITIES)),
  parameterFormat: v.optional(v.picklist(PARAMETER_FORMATS)),
  components: v.optional(componentsSchema),
  /** The network's word for a rejection. */
  reason: v.optional(v.string()),
  rejectionInfo: v.optional(v.object({ reason: v.string(), recommendation: v.string() })),
  /** Of a pause or its end. */
  otherInfo: v.optional(v.object({ title: v.string(), description: v.string() })),
  /** The template is gone. */
  remove: v.optional(v.boolean(), false),
  /** No webhook: the service's copy is out of date. */
  silent: v.optional(v.boolean(), false),
});

type TemplateInput = v.InferOutput<typeof TemplateSchema>;

/** Of the query. */
export const AccountIdSchema = v.object({ businessAccountId: v.optional(v.string()) });

/** Makes, changes or removes one template; answers once the service took the webhooks. */
export async function setTemplate(simulator: SimulatorState, exchange: Exchange): Promise<void> {
  const input = await readInput(TemplateSchema, exchange);
  if (input === null) return;
  const { response } = exchange;
  const channels = await simulator.directory.find((set) => ownersOf(set, input));
  const [first] = channels ?? [];
  if (channels === undefined || first === undefined) {
    return respondJson(response, 404, { error: 'no such account' });
  }
  const known = simulator.templates.find(accountOf(first), input.name, input.language);
  const format = input.parameterFormat ?? known?.parameterFormat ?? 'POSITIONAL';
  const components = input.components ?? known?.components;
  if (components === undefined) {
    return respondJson(response, 400, { error: 'a new template needs components' });
  }
  const problem = exampleProblem(components, format);
  if (problem !== null) return respondJson(response, 400, { error: problem });
  const { template, entries } =
    known === undefined
      ? made(simulator, accountOf(first), draftOf(input, { components, parameterFormat: format }))
      : changed(simulator, known, input);
  const reported = input.silent ? [] : entries;
  const answers = await Promise.all(
    channels.flatMap((channel) =>
      reported.map((entry) => simulator.webhookQueues.postInbound(channel, entry)),
    ),
  );
  respondWhenAccepted(exchange, answers, { id: template.id });
}

function ownersOf(
  set: ChannelSet,
  { businessAccountId, phoneNumberId }: TemplateInput,
): readonly SimulatedChannel[] | undefined {
  const [number] = set.byNumber(phoneNumberId ?? '');
  const accountId = businessAccountId ?? (number && accountOf(number)) ?? '';
  const found = set.byAccount(accountId);
  return found.length === 0 ? undefined : found;
}

interface Change {
  readonly template: Template;
  readonly entries: readonly WebhookEntry[];
}

function draftOf(
  input: TemplateInput,
  content: Pick<TemplateDraft, 'components' | 'parameterFormat'>,
): TemplateDraft {
  const { name, language, category = 'UTILITY', status = 'APPROVED' } = input;
  const { quality = 'UNKNOWN', reason: rejectedReason = 'NONE' } = input;
  return { name, language, category, status, quality, rejectedReason, ...content };
}

function made(simulator: SimulatorState, accountId: string, draft: TemplateDraft): Change {
  const template = simulator.templates.add(accountId, draft);
  return { template, entries: [statusEntry(template, template.status)] };
}

function changed(simulator: SimulatorState, known: Template, input: TemplateInput): Change {
  if (input.remove) {
    simulator.templates.remove(known);
    return { template: known, entries: [statusEntry(known, 'DELETED', input)] };
  }
  const { status = known.status, category = known.category, quality = known.quality } = input;
  const { components = known.components, parameterFormat = known.parameterFormat } = input;
  const template = simulator.templates.change(known, {
    status,
    quality,
    components,
    parameterFormat,
    category,
    previousCategory: category === known.category ? known.previousCategory : known.category,
    rejectedReason: input.reason ?? (status === 'REJECTED' ? known.rejectedReason : 'NONE'),
  });
  const entries = [
    ...(status === known.status ? [] : [statusEntry(template, status, input)]),
    ...(quality === known.quality ? [] : [qualityEntry(template, known.quality)]),
    ...(category === known.category ? [] : [categoryEntry(template, known.category)]),
    ...(input.components === undefined ? [] : [componentsEntry(template)]),
  ];
  return { template, entries };
}

function askedAccount({ query }: Exchange): string | null {
  return new URLSearchParams(query).get('businessAccountId');
}

export function listTemplates(simulator: SimulatorState, exchange: Exchange): void {
  const asked = askedAccount(exchange);
  const accounts = asked === null ? simulator.templates.known() : [asked];
  const data = accounts.flatMap((businessAccountId) =>
    simulator.templates
      .list(businessAccountId)
      .map((template) => ({ businessAccountId, ...wholeTemplate(template) })),
  );
  respondJson(exchange.response, 200, { data });
}

export function clearTemplates(simulator: SimulatorState, exchange: Exchange): void {
  simulator.templates.empty(askedAccount(exchange));
  respondJson(exchange.response, 200, { ok: true });
}
