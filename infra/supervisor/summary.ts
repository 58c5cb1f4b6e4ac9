/** What `npm start` tells its operator when the service is ready; every command can be pasted. */
import type { Demo } from './demo.ts';

export interface Summary {
  /** Where callers reach the service, without a trailing slash. */
  readonly publicUrl: string;
  readonly sandboxUrl: string;
  readonly metricsUrl: string;
  readonly dataDir: string;
  readonly demo: Demo | null;
}

export function formatSummary(summary: Summary): string {
  const { publicUrl, sandboxUrl, metricsUrl, dataDir, demo } = summary;
  const rows: readonly (readonly [string, string])[] = [
    ['Documentation', `${publicUrl}/docs`],
    ['OpenAPI', `${publicUrl}/openapi.json`],
    ['Simulator', `${sandboxUrl}/control/sent`],
    ['Metrics', metricsUrl],
    ['Data, run.json', dataDir],
    ['Logs', `${dataDir}/logs`],
    ...keyRows(demo),
  ];
  return [
    '',
    `Recado is ready at ${publicUrl}`,
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(16)}${value}`),
    '',
    ...commands(publicUrl, demo),
    '',
    'Ctrl+C stops it.',
    '',
  ].join('\n');
}

function keyRows(demo: Demo | null): readonly (readonly [string, string])[] {
  if (demo === null) return [];
  return [
    ['Organization', 'demo (Loja Demo)'],
    ['Channel, cloud', `${demo.channelId} (Atendimento)`],
    ['Channel, web', `${demo.webChannelId} (Vendas)`],
    ['Account key', demo.secrets.accountKey],
    ['Channel key', demo.secrets.channelKey],
  ];
}

function commands(publicUrl: string, demo: Demo | null): readonly string[] {
  if (demo === null) {
    return [
      'Make a key for one of your organizations:',
      '  npm run -s recado -- keys create --org ORG --name NAME --scope account',
    ];
  }
  const authorization = `-H 'Authorization: Bearer ${demo.secrets.accountKey}'`;
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
