/**
 * Templates of the channel's business account: `GET /{businessAccountId}/message_templates`, page
 * by page (Meta, Template management; Graph API, Paginated results; `pywa` 4.4.0, `api.py`).
 *
 * 1. All or nothing: a list that ends half-way would make templates appear removed.
 * 2. The account is a setting. A number's token need not reach the account's templates.
 */
import type {
  NetworkChannel,
  NetworkTemplate,
  TemplateListing,
} from '../../../../shared/ports/network.ts';
import type { HttpAnswer } from '../http-caller.ts';
import {
  isRecord,
  type JsonRecord,
  listAt,
  parseRecord,
  recordAt,
  textAt,
} from '../webhook-body.ts';
import { BAD_TOKEN_REASON, isPermissionCode, isTokenCode } from './codes.ts';
import {
  authorization,
  type CloudError,
  type CloudSender,
  isGone,
  missingSetting,
  objectUrl,
  parseGraphError,
  TRANSFER_TIMEOUT_MS,
} from './send.ts';

const FIELDS = 'id,name,language,category,status,quality_score,parameter_format,components';
/** The longest templates have some 20 KB: a page stays within the 1 MiB of an answer. */
const PAGE_LIMIT = 50;
/** 10,000 templates: more than an account may have. */
const PAGES_MAX = 200;

const NO_ACCOUNT = 'Falta o businessAccountId na configuração do canal.';
const NO_PERMISSION = 'O token de acesso não tem permissão para ler os modelos de mensagem.';
const UNKNOWN_ACCOUNT =
  'O businessAccountId não existe ou o token de acesso não alcança esta conta.';
const NO_ANSWER = 'A rede não respondeu ao pedido dos modelos de mensagem.';
const BAD_LIST = 'A rede respondeu ao pedido dos modelos de mensagem com uma lista incompleta.';

/** Never rejects. */
export async function listTemplates(
  sender: CloudSender,
  channel: NetworkChannel,
): Promise<TemplateListing> {
  const missing = channel.network.businessAccountId ? missingSetting(channel) : NO_ACCOUNT;
  if (missing !== null) return { listed: false, reason: missing, final: true };
  const templates = new Map<string, NetworkTemplate>();
  let after: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const answer = await askPage(sender, channel, after);
    const page = answer.answered ? pageOf(answer) : null;
    if (page === null) return refusalOf(answer);
    // Under a changing list an entry may be on two pages.
    for (const each of page.templates) templates.set(each.networkId, each);
    if (page.after === undefined) return { listed: true, templates: [...templates.values()] };
    if (page.after === after) break;
    after = page.after;
  }
  return { listed: false, reason: BAD_LIST, final: false };
}

function askPage(
  sender: CloudSender,
  channel: NetworkChannel,
  after: string | undefined,
): Promise<HttpAnswer> {
  const account = objectUrl(
    channel,
    channel.network.businessAccountId ?? '',
    sender.resolveBaseUrl,
  );
  const query = new URLSearchParams({
    fields: FIELDS,
    limit: String(PAGE_LIMIT),
    ...(after === undefined ? {} : { after }),
  });
  return sender.http.call({
    method: 'GET',
    url: `${account}/message_templates?${query}`,
    headers: authorization(channel),
    timeoutMs: TRANSFER_TIMEOUT_MS,
  });
}

interface TemplatePage {
  readonly templates: readonly NetworkTemplate[];
  /** Where the next page begins; undefined after the last one. */
  readonly after: string | undefined;
}

/** Null for an answer that is no page. */
function pageOf({ status, body }: Extract<HttpAnswer, { answered: true }>): TemplatePage | null {
  const root = parseRecord(body);
  if (status !== 200 || root === null || !Array.isArray(root.data)) return null;
  const paging = recordAt(root, 'paging');
  const isLast = textAt(paging, 'next') === undefined;
  const after = isLast ? undefined : textAt(recordAt(paging, 'cursors'), 'after');
  if (!isLast && after === undefined) return null;
  return { templates: root.data.filter(isRecord).flatMap(templateOf), after };
}

/** Empty for an entry that names no template. */
function templateOf(entry: JsonRecord): NetworkTemplate[] {
  const [networkId, name, language] = ['id', 'name', 'language'].map((key) => textAt(entry, key));
  const status = textAt(entry, 'status');
  if (!networkId || !name || !language || !status) return [];
  const template: NetworkTemplate = {
    ...{ networkId, name, language, status },
    category: textAt(entry, 'category') ?? '',
    quality: textAt(recordAt(entry, 'quality_score'), 'score') ?? null,
    named: textAt(entry, 'parameter_format') === 'NAMED',
    components: listAt(entry, 'components').filter(isRecord),
  };
  return [template];
}

function refusalOf(answer: HttpAnswer): TemplateListing {
  if (!answer.answered) return { listed: false, reason: NO_ANSWER, final: false };
  const error = parseGraphError(answer.body);
  const reason = error === null ? null : finalReason(error);
  if (reason !== null) return { listed: false, reason, final: true };
  const code = error?.code ?? (answer.status === 200 ? null : answer.status);
  const passing = code === null ? BAD_LIST : `${NO_ANSWER.slice(0, -1)} (código ${code}).`;
  return { listed: false, reason: passing, final: false };
}

/** Null where the answer may be another one later. */
function finalReason(error: CloudError): string | null {
  if (isGone(error)) return UNKNOWN_ACCOUNT;
  if (isTokenCode(error.code)) return BAD_TOKEN_REASON;
  return isPermissionCode(error.code) ? NO_PERMISSION : null;
}
