/** Rows of the doctor, by the codes of its findings. The operator's screen loads it. */
import type { Sentences } from '../../../../shared/problems/coded.ts';
import type { FindingParams } from '../../../../shared/problems/findings.ts';
import { sentenceOf } from '../base/sentence-of.ts';

/** By the names of the checks. */
export const CHECK_NAMES: Readonly<Record<string, string>> = {
  nats: 'NATS',
  partitions: 'Partições',
  clocks: 'Relógios',
  webhooks: 'Webhooks das redes',
  mail: 'E-mail',
  'open files': 'Arquivos abertos',
};

export const FINDINGS: Sentences<FindingParams> = {
  foreign: ({ text }) => text,
  more: ({ count }) => `e mais ${count}`,

  nobodyAnswers: () => 'Ninguém responde.',
  nobodyAskedWithoutNats: () => 'Sem o NATS não há a quem perguntar.',
  seeNats: () => 'Veja a linha “nats”.',

  noService: () => 'Nenhum serviço roda aqui, e NATS_URL não está definida.',
  runStart: () => 'Rode npm start.',
  natsUnreachable: ({ text }) => `Não há como alcançá-lo: ${text}.`,
  startNats: () => 'Inicie o servidor NATS, ou indique em NATS_URL um que responda.',
  natsServer: ({ version, roundTripMs, maxPayload }) =>
    `versão ${version}, ida e volta em ${roundTripMs} ms, max_payload ${maxPayload}`,
  natsTooOld: ({ oldest }) => `Use um servidor NATS a partir da versão ${oldest}.`,
  payloadTooSmall: ({ minBytes }) => `Aumente max_payload para ${minBytes} ou mais.`,

  startActors: () => 'Inicie um processo actors e leia o registro dele.',
  actorsProcesses: ({ count }) => `${count} ${count === 1 ? 'processo' : 'processos'} actors`,
  someUnowned: () => 'algumas estão sem dono',
  allOwned: () => 'todas têm dono',
  runEveryKind: () =>
    'Rode todos os tipos de atores em algum processo (ACTORS), ou espere a passagem terminar.',
  silent: ({ ids, more }) => `${ids.join('; ')}${more > 0 ? `; e mais ${more}` : ''} não responde`,

  clocksAgree: () => 'os dos processos actors marcam o mesmo que este',
  clockApart: ({ id, apart }) => `${id} está a ${apart} deste relógio`,
  keepTime: () => 'Acerte o relógio de cada máquina (NTP).',

  noWebhookRefused: () => 'nenhum canal recusa os da sua rede',
  webhooksRefused: ({ ref, channelId, count, since, setting }) =>
    `${ref} (${channelId}): ${count} recusados, o último há ${since}: ${setting} não confere`,
  giveSecret: () => 'Dê ao canal o segredo da sua rede, por “apply”.',

  panelSilent: ({ pids }) =>
    `${pids.length === 1 ? 'processo' : 'processos'} ${pids.join(', ')} do painel: sem resposta`,
  seePanelLog: () => 'Leia o registro do painel.',
  noPanel: () => 'nenhum roda',
  panelsAt: ({ count, addresses }) =>
    `${count} ${count === 1 ? 'processo' : 'processos'} em ${addresses.join(', ')}`,
  proxiesUntrusted: ({ proxies }) =>
    `${proxies.join(', ')} encaminha endereços, e não é de confiança`,
  nameProxy: () =>
    'Se for o seu proxy, indique a rede dele em PANEL_TRUSTED_PROXIES; senão, deixe só o proxy alcançar o painel.',

  mailAnswers: ({ where }) => `${where} responde`,
  mailSays: ({ where, greeting }) => `${where} diz “${greeting}”`,
  nameMailServer: () => 'Indique em SMTP_URL um servidor de e-mail.',
  mailUnreachable: ({ where, cause }) =>
    `Não há como alcançar ${where}: ${sentenceOf(FINDINGS, cause)}.`,
  mailUnanswered: () => 'sem resposta a tempo',
  mailClosed: () => 'ele fechou a conexão',
  correctSmtp: () => 'Corrija SMTP_URL, ou cuide do servidor de e-mail.',
  mailsWritten: ({ folder }) => `sem SMTP_URL: os e-mails são gravados em ${folder}`,
  mailsUnwritable: ({ folder, cause }) => `Não há como gravar e-mails em ${folder}: ${cause}.`,
  makeWritable: () =>
    'Dê permissão de escrita em DATA_DIR, ou indique em SMTP_URL um servidor de e-mail.',

  filesUnknown: () => 'este sistema não os informa',
  filesOpen: ({ pid, used, limit }) => `o processo ${pid} tem ${used} abertos e pode ter ${limit}`,
  raiseFiles: () =>
    'Aumente o limite de arquivos abertos (LimitNOFILE=65536 da unidade, ou ulimit -n).',
};
