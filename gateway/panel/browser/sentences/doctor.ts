/** Rows of the doctor, by the codes of its findings. The operator's screen loads it. */
import type { Sentences } from '../../../../shared/problems/coded.ts';
import type { FindingParams, Unready } from '../../../../shared/problems/findings.ts';
import { sentenceOf } from './sentence-of.ts';

/** By the names of the checks. */
export const CHECK_NAMES: Readonly<Record<string, string>> = {
  settings: 'Configuração',
  nats: 'NATS',
  mongodb: 'MongoDB',
  indexes: 'Índices',
  schema: 'Esquema',
  clock: 'Relógio do MongoDB',
  secrets: 'Segredos',
  networks: 'Redes',
  templates: 'Modelos',
  sends: 'Envios',
  deliveries: 'Entregas',
  subscribers: 'Assinantes',
  parked: 'Entregas retidas',
  timers: 'Etapas de fluxos',
  reminders: 'Lembretes',
  'network clocks': 'Relógios das redes',
  address: 'Endereço público',
  disk: 'Disco',
  partitions: 'Partições',
  clocks: 'Relógios',
  webhooks: 'Webhooks das redes',
  'webhooks late': 'Webhooks atrasados',
  panel: 'Painel',
  mail: 'E-mail',
  'open files': 'Arquivos abertos',
};

function unready({ channel, provider, reason, failingFor, isNew }: Unready): string {
  const failing = failingFor === null ? '' : ` Falha há ${failingFor}, e ainda está pronto.`;
  const never = isNew ? ' Com estes dados a rede nunca respondeu.' : '';
  return `${channel} (${provider}): ${reason ?? 'a rede ainda não respondeu.'}${failing}${never}`;
}

function listed(names: readonly string[], more: number): string {
  return `${names.join(', ')}${more > 0 ? ` e mais ${more}` : ''}`;
}

export const FINDINGS: Sentences<FindingParams> = {
  foreign: ({ text }) => text,
  more: ({ count }) => `e mais ${count}`,

  nobodyAnswers: () => 'Ninguém responde.',
  nobodyAskedWithoutNats: () => 'Sem o NATS não há a quem perguntar.',
  seeCheck: ({ name }) => `Veja a linha “${CHECK_NAMES[name] ?? name}”.`,

  settingsWrong: ({ problems }) => problems.join(' '),
  correctEnvironment: () => 'Corrija o ambiente; as variáveis estão em docs/operations.md.',
  settingsValid: () => 'todas são válidas',
  serviceRuns: ({ dataDir }) => `um serviço roda em ${dataDir}`,
  noServiceRuns: ({ dataDir }) => `nenhum serviço roda em ${dataDir}`,

  noService: ({ setting }) => `Nenhum serviço roda aqui, e ${setting} não está definida.`,
  unreachable: ({ text }) => `Não há como alcançá-lo: ${text}.`,
  placeUnreachable: ({ where, cause }) =>
    `Não há como alcançar ${where}: ${sentenceOf(FINDINGS, cause)}.`,
  runStart: () => 'Rode npm start.',
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
  correctPhone: () => 'Leia o QR code com o telefone certo ou corrija “phone”, por “apply”.',

  noWebhookLate: () => 'todas as mensagens chegaram em até 15 min',
  webhooksLate: ({ ref, channelId, count, since, late }) =>
    `${ref} (${channelId}): ${count} mensagens chegaram atrasadas e não iniciaram fluxo, a última há ${since}, com ${late} de atraso`,
  networkBehind: ({ ref, channelId, behind }) =>
    `${ref} (${channelId}): o relógio da rede está ${behind} atrás do desta máquina`,
  seeNetworkClock: () =>
    'Acerte o relógio da ponte e o desta máquina (NTP), e veja por que a rede não conseguiu entregar.',

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

  startMongo: () => 'Rode npm start, ou indique em MONGODB_URL um MongoDB que responda.',
  mongoUnreachable: () => 'Não há como alcançar o MongoDB.',
  nothingRead: () => 'Nada foi lido.',
  noAnswerWithin: ({ ms }) => `Sem resposta em ${ms} ms.`,
  mongoRefused: ({ text }) => `O MongoDB recusou: ${text}.`,
  seeMongoLog: () => 'Leia o registro do MongoDB.',
  mongoServer: ({ version, writeMs }) =>
    `versão ${version}, uma gravação com diário leva ${writeMs} ms`,
  mongoTooOld: ({ oldest }) => `Use o MongoDB a partir da versão ${oldest}.`,
  indexesThere: ({ count }) => `todos os ${count} existem`,
  indexesMissing: ({ indexes }) => `faltam: ${indexes.join('; ')}`,
  makeIndexes: () => 'Inicie um processo actors: ele cria os que faltam.',
  schemaRead: ({ schema }) => `o número é ${schema}, que esta versão lê`,
  seeUpgrading: () => 'Veja “Upgrading” em docs/operations.md.',
  mongoClock: ({ ms, behind }) => `${ms} ms ${behind ? 'atrasado' : 'adiantado'}`,
  keepBothTime: () => 'Acerte o relógio das duas máquinas (NTP).',

  nothingSealed: () => 'nada foi cifrado ainda',
  allOpen: ({ count }) => `a chave abre todos os ${count}`,
  someClosed: ({ count, of, names, more }) => `${count} de ${of} não abrem: ${listed(names, more)}`,
  unverifiable: ({ names, more }) => `nenhuma biblioteca confere com ${listed(names, more)}`,
  giveKey: () => 'Rode isto com a chave do serviço, e então cuide da chave.',
  resealSecrets: () =>
    'Aplique de novo os dados de rede destes canais, e troque o segredo destas assinaturas.',
  rotateSecrets: ({ prefix, minBytes, maxBytes }) =>
    `Troque o segredo destas assinaturas: um segredo próprio deve ter base64 com preenchimento, de ${minBytes} a ${maxBytes} bytes, depois de ${prefix}.`,

  channelsReady: ({ count }) => `${count} canais em uso, todos prontos`,
  channelsUnready: ({ of, channels }) =>
    `${channels.length} de ${of} canais não enviam: ${channels.map(unready).join(' ')}`,
  channelsRestricted: ({ channels }) => {
    const named = channels.map(({ channel, until }) => {
      return `${channel} ${until === null ? 'sem fim conhecido' : `até ${new Date(until).toLocaleString('pt-BR')}`}`;
    });
    return `${channels.length} não podem iniciar conversas (restritos): ${named.join(', ')}`;
  },
  mendNetworks: () =>
    'Resolva o que a rede diz, ou corrija os dados de rede do canal e aplique de novo.',

  templatesRead: ({ count, accounts }) => `${count} de ${accounts} contas comerciais`,
  templatesUnread: ({ of, accounts }) => {
    const named = accounts.map(({ channels, reason }) => `${channels.join(', ')}: ${reason}`);
    return `os de ${accounts.length} de ${of} contas não foram lidos: ${named.join(' ')}`;
  },
  noAccount: ({ channels }) => `sem businessAccountId: ${channels.join(', ')}`,
  readTemplates: () =>
    'Rode “recado channels check” para o canal, e depois “recado templates sync”.',

  noneQueued: () => 'nenhuma mensagem na fila',
  oldestQueued: ({ waited, channel }) =>
    `a mensagem mais antiga da fila espera há ${waited} (${channel})`,
  queueMoves: () => 'a fila anda',
  queueStuck: () => 'a fila não anda',
  seeSends: () => 'Veja a linha “Redes”, e as linhas “send” no registro dos actors.',
  noneDue: () => 'nada em atraso',
  oldestDue: ({ late, subscription }) =>
    `a mais antiga está em atraso há ${late} (${subscription})`,
  seeAttempts: () => 'Veja as linhas “attempt” no registro dos actors: respostas lentas?',
  noStepDue: () => 'nenhuma etapa em atraso',
  oldestStepDue: ({ late, organization }) =>
    `a etapa mais antiga está em atraso há ${late} (${organization})`,
  seeTimers: () => 'Veja as linhas “timer of a flow” no registro dos actors.',
  oldestReminder: ({ late, organization, attempts }) => {
    const tried =
      attempts === 0 ? '' : `, após ${attempts} ${attempts === 1 ? 'tentativa' : 'tentativas'}`;
    return `o mais antigo está atrasado ${late} (${organization}${tried})`;
  },
  seeReminders: () => 'Veja a linha “E-mail”, e as linhas “reminder” dos actors.',

  noneFailed: () => 'nenhuma falhou na última tentativa',
  deliveriesWait: ({ subscription, count, isLeast, error }) => {
    const wait = count === 1 ? 'entrega espera' : 'entregas esperam';
    return `${subscription}: ${count}${isLeast ? ' ou mais' : ''} ${wait} nova tentativa (${error ?? 'respondida'})`;
  },
  mendSubscriber: () =>
    'Cuide do assinante, e então “recado deliveries retry”; “deliveries list” mostra as tentativas.',
  noneParked: () => 'o serviço não retém nenhuma entrega',
  parked: ({ subscription, count, isLeast, isTakenUp, oldest }) => {
    const what = isTakenUp ? 'em retomada' : 'retidas';
    return `${subscription}: ${count}${isLeast ? ' ou mais' : ''} ${what}, a mais antiga há ${oldest}`;
  },
  disabled: ({ subscription, reason }) =>
    `${subscription} está desativada (${reason}): as suas entregas ficam retidas`,
  enableSubscriber: () =>
    'Cuide do assinante: o disjuntor fecha no primeiro sucesso; “recado subscriptions enable”.',

  onlySimulator: () => 'nenhuma rede em uso além do simulador',
  networksOnTime: ({ known, asked }) =>
    `marcam o mesmo que este: ${known} de ${asked} redes perguntadas`,
  networkSilent: ({ origin, cause }) => `${origin} não responde aqui: ${cause}`,
  seeWhySilent: () => 'Veja por que esta máquina não a alcança.',
  clockOff: ({ origin, off, behind }) =>
    `este relógio está ${off} ${behind ? 'atrás' : 'à frente'} de ${origin}`,
  keepThisTime: () => 'Acerte o relógio desta máquina (NTP).',

  addressLeadsHere: ({ url }) => `${url} leva até aqui`,
  addressLeadsElsewhere: ({ url, status }) => `${url} responde ${status}, e não é este serviço`,
  addressNotPublic: ({ url }) =>
    `A Meta não alcança webhooks em ${url}: ela quer um endereço https público`,
  correctPublicUrl: () =>
    'Deixe em PUBLIC_URL o endereço do proxy da frente, e que o proxy leve até aqui.',

  diskFree: ({ where, freeMib, totalMib }) => `${where}: ${freeMib} MiB livres de ${totalMib}`,
  diskUnread: ({ text }) => `Não há como examiná-lo: ${text}.`,
  makeRoom: () => 'Libere espaço ou use um disco maior: nada é aceito que não possa ser gravado.',
  seeDataDir: () => 'Veja DATA_DIR.',

  mailAnswers: ({ where }) => `${where} responde`,
  mailSays: ({ where, greeting }) => `${where} diz “${greeting}”`,
  nameMailServer: () => 'Indique em SMTP_URL um servidor de e-mail.',
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
