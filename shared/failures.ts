/**
 * The one closed table of refusals: kind → HTTP status → Portuguese sentence (C7).
 * A refusal is a value and never an exception; an exception is a fault and becomes `fault` (500).
 */

export const FAILURES = {
  bad_json: { status: 400, sentence: 'O corpo da requisição não é um JSON válido.' },
  unauthorized: { status: 401, sentence: 'Chave de API ausente, inválida ou revogada.' },
  key_expired: { status: 401, sentence: 'Esta chave de API venceu.' },
  signed_out: { status: 401, sentence: 'Entre no painel para continuar.' },
  bad_credentials: { status: 401, sentence: 'E-mail ou senha incorretos.' },
  bad_link: { status: 401, sentence: 'Este link já foi usado ou não vale mais.' },
  bad_signature: {
    status: 401,
    sentence: 'A assinatura da requisição está ausente ou é inválida.',
  },
  other_channel: { status: 403, sentence: 'Esta chave não tem acesso a este canal.' },
  access_too_low: {
    status: 403,
    sentence: 'O acesso desta chave não permite esta chamada.',
  },
  not_allowed: { status: 403, sentence: 'Seu papel não permite esta ação.' },
  foreign_origin: { status: 403, sentence: 'A chamada não veio desta página.' },
  other_origin: { status: 403, sentence: 'Chamadas de páginas de outra origem não são aceitas.' },
  bad_verify_token: { status: 403, sentence: 'O token de verificação não confere.' },
  route_not_found: { status: 404, sentence: 'Endereço não encontrado.' },
  channel_not_found: { status: 404, sentence: 'Canal não encontrado.' },
  conversation_not_found: { status: 404, sentence: 'Conversa não encontrada.' },
  message_not_found: { status: 404, sentence: 'Mensagem não encontrada.' },
  contact_not_found: { status: 404, sentence: 'Contato não encontrado.' },
  flow_not_found: { status: 404, sentence: 'Fluxo não encontrado.' },
  deal_not_found: { status: 404, sentence: 'Negócio não encontrado.' },
  pipeline_not_found: { status: 404, sentence: 'Funil não encontrado.' },
  stage_not_found: { status: 404, sentence: 'Etapa não encontrada.' },
  task_not_found: { status: 404, sentence: 'Tarefa não encontrada.' },
  member_not_found: { status: 404, sentence: 'Membro não encontrado.' },
  quick_reply_not_found: { status: 404, sentence: 'Resposta rápida não encontrada.' },
  key_not_found: { status: 404, sentence: 'Chave não encontrada.' },
  subscription_not_found: { status: 404, sentence: 'Assinatura não encontrada.' },
  delivery_not_found: { status: 404, sentence: 'Entrega não encontrada.' },
  stream_not_found: { status: 404, sentence: 'Stream de eventos não encontrado.' },
  session_not_found: { status: 404, sentence: 'Sessão não encontrada.' },
  organization_not_found: { status: 404, sentence: 'Organização não encontrada.' },
  file_not_found: { status: 404, sentence: 'Arquivo não encontrado.' },
  method_not_allowed: { status: 405, sentence: 'Método não permitido neste endereço.' },
  channel_not_ready: { status: 409, sentence: 'O canal não está pronto para enviar agora.' },
  not_scheduled: {
    status: 409,
    sentence: 'A mensagem não está agendada: já está a caminho, já terminou ou nunca foi agendada.',
  },
  not_waiting: {
    status: 409,
    sentence: 'A mensagem não espera mais na fila: já está a caminho, ou já terminou.',
  },
  not_newest: {
    status: 409,
    sentence: 'A mensagem informada em onlyIf não é a mais nova desta conversa. Nada foi enviado.',
  },
  automation_paused: {
    status: 409,
    sentence: 'A automação está pausada nesta conversa. Nada foi enviado.',
  },
  marketing_opt_out: {
    status: 409,
    sentence: 'O contato pediu para não receber mensagens de marketing.',
  },
  window_closed: {
    status: 409,
    sentence:
      'A janela de 24 horas deste contato está fechada: só um modelo aprovado pode ser enviado.',
  },
  flow_changed: {
    status: 409,
    sentence:
      'O fluxo mudou enquanto você editava. Copie o seu texto, abra o fluxo de novo e publique.',
  },
  file_pending: {
    status: 409,
    sentence: 'O arquivo ainda não chegou da rede. Tente de novo depois de `Retry-After`.',
  },
  flow_disabled: { status: 409, sentence: 'O fluxo está desativado.' },
  flow_skipped: { status: 409, sentence: 'A conversa não aceita automação agora.' },
  still_running: {
    status: 409,
    sentence: 'Uma chamada com esta Idempotency-Key ainda está em andamento.',
  },
  too_many_streams: {
    status: 409,
    sentence: 'O limite de streams de eventos desta chave ou da organização foi atingido.',
  },
  closed_deal_moved: {
    status: 409,
    sentence: 'O negócio está encerrado e não pode mudar de etapa.',
  },
  too_many_pipelines: {
    status: 409,
    sentence: 'A organização já tem o máximo de 20 funis.',
  },
  stage_has_deals: {
    status: 409,
    sentence:
      'Há negócios em uma etapa que sai do funil. Informe em moveTo a etapa para onde eles vão.',
  },
  too_many_members: {
    status: 409,
    sentence: 'A organização já tem o máximo de 500 membros.',
  },
  member_exists: { status: 409, sentence: 'Já existe um membro com este e-mail.' },
  last_admin: {
    status: 409,
    sentence: 'Este é o último administrador da organização e não pode perder o acesso.',
  },
  too_many_files: {
    status: 409,
    sentence: 'A biblioteca da organização já tem 1.000 arquivos.',
  },
  library_full: {
    status: 409,
    sentence: 'O arquivo não cabe na biblioteca da organização, que guarda até 5 GiB.',
  },
  file_in_use: { status: 409, sentence: 'Um fluxo envia este arquivo: mude o fluxo antes.' },
  deal_closed: { status: 409, sentence: 'O negócio já está encerrado.' },
  other_session: { status: 412, sentence: 'Outra pessoa entrou neste navegador. Nada mudou.' },
  body_too_large: { status: 413, sentence: 'O corpo da requisição é grande demais.' },
  invalid: { status: 422, sentence: 'Dados inválidos.' },
  rate_limited: {
    status: 429,
    sentence: 'Limite de chamadas excedido. Aguarde antes de tentar novamente.',
  },
  fault: { status: 500, sentence: 'Erro interno. Tente novamente em instantes.' },
  not_stored: {
    status: 500,
    sentence: 'Erro interno. Os dados não puderam ser gravados; repetir a chamada não resolve.',
  },
  overloaded: {
    status: 500,
    sentence: 'Serviço sobrecarregado. Nada foi feito; tente novamente em instantes.',
  },
  unavailable: { status: 503, sentence: 'Serviço indisponível no momento.' },
} as const satisfies Record<string, { status: number; sentence: string }>;

export type FailureKind = keyof typeof FAILURES;

/** C7.2, D5: `path` joins with dots and 0-based indexes, `""` is the whole body. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

export interface Failure {
  readonly kind: FailureKind;
  /** Replaces the table's sentence, e.g. the channel's own reason on 409. */
  readonly sentence?: string;
  readonly issues?: readonly Issue[];
  readonly retryAfterSeconds?: number;
}

export function failure(kind: FailureKind, sentence?: string): Failure {
  return sentence === undefined ? { kind } : { kind, sentence };
}

/** A 422 whose issues point at the fields to correct. */
export function invalid(...issues: readonly Issue[]): Failure {
  return { kind: 'invalid', issues };
}

/** HTTP status and JSON body of a refusal (C7.1). */
export function renderFailure(refusal: Failure): { status: number; body: string } {
  const row = FAILURES[refusal.kind];
  const error = refusal.sentence ?? row.sentence;
  const body = refusal.issues ? { error, issues: refusal.issues } : { error };
  return { status: row.status, body: JSON.stringify(body) };
}
