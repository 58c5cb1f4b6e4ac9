/** Rows of the doctor, by the sentences of `recado doctor`. The operator's screen loads it. */
import type { Sentences } from '../base/translator.ts';

/** By the names of the checks. */
export const CHECK_NAMES: Readonly<Record<string, string>> = {
  nats: 'NATS',
  partitions: 'Partições',
  clocks: 'Relógios',
  webhooks: 'Webhooks das redes',
  mail: 'E-mail',
  'open files': 'Arquivos abertos',
};

export const DOCTOR_SENTENCES: Sentences = [
  ['Nobody answers.', 'Ninguém responde.'],
  [
    'No service runs here and NATS_URL is not set.',
    'Nenhum serviço roda aqui, e NATS_URL não está definida.',
  ],
  ['Run npm start.', 'Rode npm start.'],
  ['It cannot be reached: {?}.', 'Não há como alcançá-lo: {1}.'],
  [
    'Start the NATS server, or name a reachable one in NATS_URL.',
    'Inicie o servidor NATS, ou indique em NATS_URL um que responda.',
  ],
  [
    'version {w}, round trip {w} ms, max_payload {w}',
    'versão {1}, ida e volta em {2} ms, max_payload {3}',
  ],
  ['Use a NATS server from {} on.', 'Use um servidor NATS a partir da versão {1}.'],
  ['Raise max_payload to {} or more.', 'Aumente max_payload para {1} ou mais.'],
  [
    'Start an actors process, and see its log.',
    'Inicie um processo actors e leia o registro dele.',
  ],
  ['1 actors process', '1 processo actors'],
  ['{w} actors processes', '{1} processos actors'],
  ['some have no owner', 'algumas estão sem dono'],
  ['all have an owner', 'todas têm dono'],
  ['{} does not answer', '{1} não responde'],
  [
    'Run every kind of actors somewhere (ACTORS), or wait for the hand-over to end.',
    'Rode todos os tipos de atores em algum processo (ACTORS), ou espere a passagem terminar.',
  ],
  ['of the actors processes: as this one', 'os dos processos actors marcam o mesmo que este'],
  ['{w} is {} apart from this clock', '{1} está a {2} deste relógio'],
  ['Keep every machine on time (NTP).', 'Acerte o relógio de cada máquina (NTP).'],
  ["no channel refuses its network's", 'nenhum canal recusa os da sua rede'],
  [
    '{} ({w}): {w} refused, the last {} ago: {} does not fit',
    '{1} ({2}): {3} recusados, o último há {4}: {5} não confere',
  ],
  [
    'Give the channel the secret of its network by "apply".',
    'Dê ao canal o segredo da sua rede, por “apply”.',
  ],
  ['and {w} more', 'e mais {1}'],
  ['{} forwards addresses and is not believed', '{1} encaminha endereços, e não é de confiança'],
  [
    'If that is your proxy, name its network in PANEL_TRUSTED_PROXIES; else let only it reach the panel.',
    'Se for o seu proxy, indique a rede dele em PANEL_TRUSTED_PROXIES; senão, deixe só o proxy alcançar o painel.',
  ],
  ['{w} answers', '{1} responde'],
  ['{} says "{}"', '{1} diz “{2}”'],
  ['Name a mail server in SMTP_URL.', 'Indique em SMTP_URL um servidor de e-mail.'],
  ['{} cannot be reached: {?}.', 'Não há como alcançar {1}: {2}.'],
  ['no answer in time', 'sem resposta a tempo'],
  ['it closed the connection', 'ele fechou a conexão'],
  [
    'Correct SMTP_URL, or see to the mail server.',
    'Corrija SMTP_URL, ou cuide do servidor de e-mail.',
  ],
  ['no SMTP_URL: mails are written to {}', 'sem SMTP_URL: os e-mails são gravados em {1}'],
  ['Mails cannot be written to {}: {?}.', 'Não há como gravar e-mails em {1}: {2}.'],
  [
    'Make DATA_DIR writable, or name a mail server in SMTP_URL.',
    'Dê permissão de escrita em DATA_DIR, ou indique em SMTP_URL um servidor de e-mail.',
  ],
  ['this system does not tell them', 'este sistema não os informa'],
  ['process {w} has {w} open and may have {w}', 'o processo {1} tem {2} abertos e pode ter {3}'],
  [
    'Raise the limit of open files (LimitNOFILE=65536 of the unit, or ulimit -n).',
    'Aumente o limite de arquivos abertos (LimitNOFILE=65536 da unidade, ou ulimit -n).',
  ],
];
