/** Answers of the Cloud API to content other than text and files, and to read marks and typing. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type {
  NetworkDriver,
  OutboundContent,
  Presence,
  SendOutcome,
} from '../../../../../shared/ports/network.ts';
import { ADDRESS, CHANNEL, type Content, PLAIN, posted } from './posted-content.ts';

describe('cloud: refusals of content', () => {
  const refusedWith = async (code: number, content: Content): Promise<SendOutcome> => {
    const message = { ...ADDRESS, ...content } as OutboundContent;
    const body = { error: { code, message: `(#${code})` } };
    const run = (driver: NetworkDriver) => driver.sendContent(CHANNEL, message);
    const { result } = await posted(run, { status: 400, body });
    return result as SendOutcome;
  };

  it('says where the template is another one than is known here', async () => {
    const told = {
      132000: true,
      132001: true,
      132005: true,
      132012: true,
      132015: true,
      132016: true,
    };
    for (const code of [132000, 132001, 132005, 132007, 132008, 132012, 132015, 132016, 132018]) {
      const outcome = await refusedWith(code, { type: 'template', template: PLAIN });
      assert.ok(outcome.outcome === 'refused' && outcome.code === String(code));
      assert.equal(outcome.aboutTemplate, code in told ? true : undefined, String(code));
      assert.match(outcome.reason, /modelo/);
      assert.equal(outcome.aboutMedia, undefined);
    }
  });

  it('says where the file of a header may be to blame', async () => {
    const header = { kind: 'image', fileName: null, content: { uploadId: '9' } } as const;
    const outcome = await refusedWith(131053, { type: 'template', template: PLAIN, header });
    assert.ok(outcome.outcome === 'refused' && outcome.aboutMedia === true);
  });
});

describe('cloud: presence', () => {
  const presence = (shows: Presence['shows']): Presence => {
    return { to: ADDRESS.to, shows, message: { externalId: 'wamid.T', fromMe: false } };
  };
  const READ = { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.T' };

  it('a read mark, and typing with it', async () => {
    const success = { status: 200, body: { success: true } };
    const read = await posted((driver) => show(driver, 'read'), success);
    assert.deepEqual(read, { bodies: [READ], result: true });
    const typing = await posted((driver) => show(driver, 'typing'), success);
    const indicator = { ...READ, typing_indicator: { type: 'text' } };
    assert.deepEqual(typing, { bodies: [indicator], result: true });
  });

  it('a refusal is no success, and nothing is repeated', async () => {
    const refusal = { status: 400, body: { error: { code: 131009 } } };
    const { bodies, result } = await posted((driver) => show(driver, 'read'), refusal);
    assert.deepEqual({ bodies, result }, { bodies: [READ], result: false });
  });

  async function show(driver: NetworkDriver, shows: Presence['shows']): Promise<unknown> {
    return driver.show?.(CHANNEL, presence(shows));
  }
});
