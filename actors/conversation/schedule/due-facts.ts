/** Facts on which a scheduled message is decided anew when its time has come (D296). */
import { MEDIA_KINDS } from '../../../shared/media.ts';
import type { StoredMessage } from '../../../shared/message.ts';
import type { TemplateMessage, TemplateValues } from '../../../shared/message-content.ts';
import { hasOptedOut, hasRefusedMarketing } from '../../contact/opt-outs.ts';
import type { ConversationState } from '../../domain/conversation/conversation.ts';
import { type DueFacts, dueForm } from '../../domain/conversation/schedule.ts';
import { checkTemplate, isMarketing } from '../../domain/template.ts';
import type { Environment } from '../../environment.ts';
import { findTemplate } from '../../template/find-template.ts';

type FactsEnvironment = Pick<Environment, 'store' | 'clock' | 'ids'>;

/**
 * The facts of a message at this moment.
 * @param answering the state of the conversation that answers for the message's own
 */
export async function readDueFacts(
  environment: FactsEnvironment,
  answering: ConversationState,
  message: StoredMessage,
): Promise<DueFacts> {
  const { store, clock } = environment;
  const optedOut = await hasOptedOut(store, answering);
  const facts = { now: clock.now(), optedOut, window: answering, ...NO_TEMPLATE };
  const { template, kind } = dueForm(message, facts);
  if (!template) return facts;
  const { isMarketing, fault } = await judgedNow(environment, answering, { template, kind });
  const noMarketing = isMarketing && (await hasRefusedMarketing(store, answering));
  return { ...facts, noMarketing, templateFault: fault };
}

const NO_TEMPLATE = { noMarketing: false, templateFault: null } as const;

interface JudgedNow {
  /** By its category now, or when the message was accepted. */
  readonly isMarketing: boolean;
  /** Why the network would refuse the template; null: it would not, as far as is known. */
  readonly fault: string | null;
}

async function judgedNow(
  environment: FactsEnvironment,
  { orgId, channelId }: Pick<ConversationState, 'orgId' | 'channelId'>,
  { template, kind }: { readonly template: TemplateMessage; readonly kind: string },
): Promise<JudgedNow> {
  const values = valuesOf(template);
  const found = await findTemplate(environment, { orgId, channelId }, values);
  const attached = MEDIA_KINDS.find((each) => each === kind) ?? null;
  const checked = checkTemplate(found, { values, attached });
  return {
    isMarketing: template.marketing === true || (found.found && isMarketing(found.template)),
    fault: 'issues' in checked ? (checked.issues[0]?.message ?? null) : null,
  };
}

/** The values from which the message was arranged. */
function valuesOf({ name, language, header, body, buttons }: TemplateMessage): TemplateValues {
  const named = body.flatMap(({ text, parameter }) =>
    parameter === undefined ? [] : [[parameter, text] as const],
  );
  const positional = body.map(({ text }) => text);
  return {
    ...{ name, language },
    ...(header ? { header: { text: header.text } } : {}),
    ...(body.length === 0
      ? {}
      : { body: named.length > 0 ? Object.fromEntries(named) : positional }),
    ...(buttons.length === 0
      ? {}
      : { buttons: buttons.map(({ index, value }) => ({ index, value })) }),
  };
}
