/**
 * The table of the Cloud API's error codes: the class of each, and the page that documents it. No
 * other file knows a code of Meta's, but for the closed window's.
 *
 * 1. A code has one class, whatever contains it: an answer, a status, the health of a number.
 * 2. A code of the whole account never fails a message. One about its payment does not even hold
 *    what the network takes without a payment.
 * 3. Sentences are Portuguese: an API caller may read them. They never quote the network's text.
 */

import { WINDOW_CLOSED_CODE } from '../../../../shared/message.ts';

export type ErrorRule =
  | {
      readonly outcome: 'later';
      readonly scope: 'number' | 'pair' | 'account';
      readonly waitMs: number;
      readonly channelReason?: string;
      /** No probe ends the wait sooner. */
      readonly unprobed?: true;
      /** Failure reason of a message for which the network keeps repeating the error. */
      readonly failure?: string;
      /** The account owes the network: what is free goes on, the rest waits. */
      readonly unpaid?: true;
    }
  | {
      readonly outcome: 'refused';
      readonly reason: string;
      /** The template is not as it is known here. */
      readonly aboutTemplate?: true;
    };

export interface CloudCode {
  readonly code: number;
  readonly rule: ErrorRule;
  readonly source: string;
}

/** The first wait of 4^X seconds is too short against 1 message per 6 s; the caller raises it. */
const PAIR_WAIT_MS = 6_000;
export const NUMBER_WAIT_MS = 1_000;
export const TRANSIENT_WAIT_MS = 5_000;
const ACCOUNT_WAIT_MS = 60_000;
/** A message that the account cannot pay for; the end of the problem wakes it sooner. */
const UNPAID_WAIT_MS = 10 * 60_000;
/** A limit lasts hours or days, and the network reports no end: one message an hour tests it. */
const LIMIT_WAIT_MS = 60 * 60_000;

export const BAD_TOKEN_REASON = 'O token de acesso do número é inválido ou expirou.';
export const PERMISSION = 'O token de acesso não tem permissão para enviar por este número.';
export const LOCKED = 'A conta do WhatsApp Business está bloqueada por violação de políticas.';
export const REMOVED = 'O número foi removido da conta do WhatsApp Business.';
export const CHOKED = 'A rede falhou repetidas vezes ao enviar a mensagem.';
export const INVALID_PARAMETER = 100;
export const PAYMENT = 'Há uma pendência de pagamento na conta do WhatsApp Business.';
const UNREGISTERED = 'O número não está registrado na API do WhatsApp Business.';
const PARAMETER = 'A rede recusou os dados da mensagem.';
const FORM = 'O formulário da mensagem está bloqueado ou limitado pela rede.';
const SPAM =
  'O número foi restringido pela rede por excesso de mensagens bloqueadas ou denunciadas.';
const LIMIT = 'A conta atingiu o limite de envio imposto pela rede.';

const wait = (scope: 'number' | 'pair' | 'account', waitMs: number): ErrorRule => ({
  outcome: 'later',
  scope,
  waitMs,
});
/** Perhaps about one message alone: the number's others go on, and it fails in the end. */
export const transient = (failure: string): ErrorRule => ({
  outcome: 'later',
  scope: 'pair',
  waitMs: TRANSIENT_WAIT_MS,
  failure,
});
/** The channel sends nothing until its operator repairs it, which a probe detects. */
export const broken = (channelReason: string) =>
  ({ outcome: 'later', scope: 'account', waitMs: ACCOUNT_WAIT_MS, channelReason }) as const;
/** The network limits the whole account, while its health may be reported as good. */
const limited = (channelReason: string): ErrorRule => ({
  outcome: 'later',
  scope: 'account',
  waitMs: LIMIT_WAIT_MS,
  channelReason,
  unprobed: true,
});
/** One message that costs something; the number goes on. */
const UNPAID: ErrorRule = {
  outcome: 'later',
  scope: 'pair',
  waitMs: UNPAID_WAIT_MS,
  unpaid: true,
};
const refused = (reason: string): ErrorRule => ({ outcome: 'refused', reason });
/** The templates of the account are worth reading again. */
const template = (reason: string): ErrorRule => {
  return { outcome: 'refused', reason, aboutTemplate: true };
};

/** developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes */
const REFERENCE = 'Meta, WhatsApp error codes';
/** developers.facebook.com/docs/graph-api/guides/error-handling */
const GRAPH = 'Meta, Graph API error handling';
/** developers.facebook.com/docs/graph-api/overview/rate-limiting */
const RATES = 'Meta, Graph API rate limits';
/** developers.facebook.com/documentation/business-messaging/whatsapp/support/health-status */
const HEALTH = 'Meta, Messaging health status';
/** github.com/david-lev/pywa, pywa/errors.py: codes that the pages name late, or not at all. */
const PYWA = 'pywa 4.4.0, errors.py';

/** Of the token itself, and of its permissions; 200 to 299 are permissions too. */
const TOKEN_CODES: ReadonlySet<number> = new Set([190, 102, 0]);
const PERMISSION_CODES: ReadonlySet<number> = new Set([3, 10, 131005]);

type Row = readonly [codes: readonly number[], rule: ErrorRule, source: string];

const ROWS: readonly Row[] = [
  // Throttles.
  [[130429], wait('number', NUMBER_WAIT_MS), REFERENCE],
  [[131056], wait('pair', PAIR_WAIT_MS), REFERENCE],
  [[4], wait('account', ACCOUNT_WAIT_MS), GRAPH],
  [[80007], wait('account', ACCOUNT_WAIT_MS), REFERENCE],
  [[17, 32, 341, 613, 80008], wait('account', ACCOUNT_WAIT_MS), RATES],
  [[131048], limited(SPAM), REFERENCE],
  [[131064], limited(LIMIT), PYWA],
  // Faults of the network that pass.
  [[1, 131000], transient(CHOKED), REFERENCE],
  [[135000], transient(CHOKED), PYWA],
  [[2, 131016, 133004], wait('number', TRANSIENT_WAIT_MS), REFERENCE],
  [[131057], wait('number', ACCOUNT_WAIT_MS), REFERENCE],
  // The token, the number or the account is broken.
  [[...TOKEN_CODES], broken(BAD_TOKEN_REASON), REFERENCE],
  [[...PERMISSION_CODES], broken(PERMISSION), REFERENCE],
  [[368, 131031], broken(LOCKED), REFERENCE],
  [[33], broken(REMOVED), REFERENCE],
  [[133010], broken(UNREGISTERED), REFERENCE],
  [
    [131045],
    broken('O certificado do número é inválido: registre o número de novo na API.'),
    REFERENCE,
  ],
  [[133006], broken('O número precisa ser verificado e registrado na rede.'), REFERENCE],
  [[131037], broken('O nome de exibição do número ainda não foi aprovado pela rede.'), PYWA],
  // The account owes the network.
  [[131042], UNPAID, REFERENCE],
  [[131044], UNPAID, PYWA],
  [[141006], UNPAID, HEALTH],
  // One message, or one contact.
  [
    [Number(WINDOW_CLOSED_CODE)],
    refused('Passaram mais de 24 horas desde a última mensagem do contato.'),
    REFERENCE,
  ],
  [
    [131026],
    refused(
      'A mensagem não pode ser entregue: o contato pode não ter WhatsApp ou usar uma versão antiga.',
    ),
    REFERENCE,
  ],
  [[131049], refused('A rede limitou as mensagens de marketing para este contato.'), REFERENCE],
  [[131050], refused('O contato pediu para não receber mensagens de marketing.'), REFERENCE],
  [[131051], refused('A rede não aceita este tipo de mensagem.'), REFERENCE],
  [[131052], refused('A rede não conseguiu baixar a mídia.'), REFERENCE],
  [[131053], refused('A rede não aceitou a mídia enviada.'), REFERENCE],
  [[INVALID_PARAMETER, 131008, 131009], refused(PARAMETER), REFERENCE],
  [[131021], refused('O destinatário é o próprio número do canal.'), REFERENCE],
  [
    [131030],
    refused('O destinatário não está na lista de números permitidos do número de teste.'),
    REFERENCE,
  ],
  [[131062], refused('Este contato só pode receber esta mensagem pelo número de telefone.'), PYWA],
  [[131063], refused('As mensagens de marketing estão desativadas na API para esta conta.'), PYWA],
  [
    [130472],
    refused('O contato participa de um experimento da rede e não recebe esta mensagem.'),
    REFERENCE,
  ],
  [[130497], refused('A rede não permite que a conta escreva para o país do contato.'), REFERENCE],
  [[137000], refused('A identidade do contato na rede não é mais a que se conhecia.'), PYWA],
  // Templates.
  [[132000], template('O número de variáveis não é o do modelo de mensagem.'), REFERENCE],
  [
    [132001],
    template('O modelo de mensagem não existe neste idioma ou ainda não foi aprovado.'),
    REFERENCE,
  ],
  [[132005], template('O modelo de mensagem fica longo demais com estas variáveis.'), REFERENCE],
  [[132007], refused('O conteúdo do modelo de mensagem viola as políticas da rede.'), REFERENCE],
  [[132008], refused('Uma variável do modelo de mensagem tem um valor inválido.'), PYWA],
  [[132012], template('As variáveis não têm o formato que o modelo de mensagem pede.'), REFERENCE],
  [[132015], template('O modelo de mensagem está pausado pela baixa qualidade.'), REFERENCE],
  [[132016], template('O modelo de mensagem foi desativado pela baixa qualidade.'), REFERENCE],
  [
    [132018],
    refused('Uma variável do modelo tem quebra de linha, tabulação ou espaços demais.'),
    REFERENCE,
  ],
  [[132068, 132069], refused(FORM), REFERENCE],
];

/** Every code of its own; the range 200 to 299 (permissions) is in `ruleOfCode`. */
export const CLOUD_CODES: readonly CloudCode[] = ROWS.flatMap(([codes, rule, source]) =>
  codes.map((code) => ({ code, rule, source })),
);

const RULES: ReadonlyMap<number, ErrorRule> = new Map(
  CLOUD_CODES.map(({ code, rule }) => [code, rule]),
);

const UNKNOWN_PHONE_NUMBER_ID = broken(
  'O phoneNumberId não existe ou o token de acesso não alcança este número.',
);

/** Graph's code for an object that does not exist, or that the token does not reach. */
export function isUnknownObject(code: number, subcode: number | undefined): boolean {
  return code === INVALID_PARAMETER && subcode === 33;
}

export function isTokenCode(code: number): boolean {
  return TOKEN_CODES.has(code);
}

export function isPermissionCode(code: number): boolean {
  return PERMISSION_CODES.has(code) || (code >= 200 && code <= 299);
}

/** Undefined for a code of no known class. */
export function ruleOfCode(code: number, subcode: number | undefined): ErrorRule | undefined {
  if (isUnknownObject(code, subcode)) return UNKNOWN_PHONE_NUMBER_ID;
  if (isPermissionCode(code)) return broken(PERMISSION);
  return RULES.get(code);
}
