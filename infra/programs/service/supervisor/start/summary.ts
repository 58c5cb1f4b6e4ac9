/**
 * Output of `npm start` when the service is ready; every command can be pasted. New demo keys are
 * always printed, old ones to a terminal only: a journal has other readers, and repeats them at
 * every start. Elsewhere the commands read them from their file.
 */
import { TERMINAL_EVENT } from '../../../../../shared/log-events.ts';
import type { Seeded } from '../demo/demo.ts';

export interface Summary {
  /** Where callers reach the service, without a trailing slash. */
  readonly publicUrl: string;
  /** Null where no panel runs. */
  readonly panelUrl: string | null;
  readonly sandboxUrl: string;
  readonly metricsUrl: string;
  readonly dataDir: string;
  /** Where reminders go. */
  readonly mails: string;
  readonly demo: Seeded | null;
  /** Its reader sits at a terminal. */
  readonly toTerminal: boolean;
}

export function formatSummary(summary: Summary): string {
  const { publicUrl, sandboxUrl, metricsUrl, dataDir, mails } = summary;
  const rows: readonly (readonly [string, string])[] = [
    ...panelRows(summary),
    ['Documentation', `${publicUrl}/docs`],
    ['OpenAPI', `${publicUrl}/openapi.json`],
    ['Simulator', `${sandboxUrl}/control`],
    ['Metrics', metricsUrl],
    ['Data, run.json', dataDir],
    ['Logs', `${dataDir}/logs`],
    ['Mails', mails],
    ...keyRows(summary),
  ];
  return [
    '',
    `Recado ${TERMINAL_EVENT.ready} ${publicUrl}`,
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(16)}${value}`),
    '',
    ...commands(summary),
    '',
    'Ctrl+C stops it.',
    '',
  ].join('\n');
}

/** The link is printed this once, and is in no file. */
function panelRows({ panelUrl, demo }: Summary): readonly (readonly [string, string])[] {
  if (panelUrl === null) return [];
  const signInUrl = demo?.signInUrl ?? null;
  return [
    ['Panel', panelUrl],
    ...(signInUrl === null ? [] : [['Sign in (once)', signInUrl] as const]),
  ];
}

function showsKeys({ demo, toTerminal }: Summary): boolean {
  return demo?.isNew === true || toTerminal;
}

function keyRows(summary: Summary): readonly (readonly [string, string])[] {
  const { demo } = summary;
  if (demo === null) return [];
  const { accountKey, channelKey } = demo.secrets;
  const keys: readonly (readonly [string, string])[] = showsKeys(summary)
    ? [
        ['Account key', accountKey],
        ['Channel key', channelKey],
      ]
    : [['Keys', demo.file]];
  return [
    ['Organization', 'demo (Loja Demo)'],
    ['Channel, cloud', `${demo.channelId} (Atendimento)`],
    ['Channel, web', `${demo.webChannelId} (Vendas)`],
    ...keys,
  ];
}

function commands(summary: Summary): readonly string[] {
  const { publicUrl, demo } = summary;
  if (demo === null) {
    return [
      'Make a key for one of your organizations:',
      '  npm run -s recado -- keys create --org ORG --name NAME --scope account',
    ];
  }
  const authorization = showsKeys(summary)
    ? `-H 'Authorization: Bearer ${demo.secrets.accountKey}'`
    : `-H "Authorization: Bearer $(${keyReader(demo.file)})"`;
  const body = JSON.stringify({
    channelId: demo.channelId,
    phone: '+55 11 91234-5678',
    text: 'Olá! Recado funcionando.',
  });
  const latest = `curl -sS ${authorization} '${publicUrl}/api/v1/conversations?limit=1'`;
  const id = `node -pe 'JSON.parse(require("fs").readFileSync(0)).data[0].id'`;
  return [
    'Send a first message:',
    `  curl -sS -X POST ${publicUrl}/api/v1/messages ${authorization} ` +
      `-H 'Content-Type: application/json' -d '${body}'`,
    '',
    'Read it back:',
    `  curl -sS ${authorization} ` +
      `"${publicUrl}/api/v1/messages?conversationId=$(${latest} | ${id})"`,
  ];
}

function keyReader(file: string): string {
  const quoted = `'${file.replaceAll("'", String.raw`'\''`)}'`;
  const program = 'JSON.parse(require("fs").readFileSync(process.argv[1])).secrets.accountKey';
  return `node -p '${program}' ${quoted}`;
}
