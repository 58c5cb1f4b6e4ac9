/** The origin of a changing call, and the address that it comes from (D212). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { clientAddress, UntrustedProxy } from '../../../../gateway/panel/client-address.ts';
import { isOwnCall } from '../../../../gateway/panel/origin.ts';
import { isInNetworks } from '../../../../infra/config/trusted-networks.ts';

const own = { 'x-recado-panel': '1' };
const local = { publicUrl: null, host: '127.0.0.1' };
const published = { publicUrl: 'https://panel.example.com', host: '127.0.0.1' };

describe('a changing call', () => {
  it('has the header of the page, whatever else it has', () => {
    const others = fc.dictionary(fc.constantFrom('origin', 'host', 'sec-fetch-site'), fc.string());
    fc.assert(fc.property(others, (headers) => assert.equal(isOwnCall(headers, local), false)));
  });

  it('comes from the same origin, by what the browser says', () => {
    assert.equal(isOwnCall({ ...own, 'sec-fetch-site': 'same-origin' }, local), true);
    for (const site of ['cross-site', 'same-site', 'none', '']) {
      const from = { origin: 'http://localhost:1', host: 'localhost:1' };
      const headers = { ...own, 'sec-fetch-site': site, ...from };
      assert.equal(isOwnCall(headers, local), false, site);
    }
  });

  it('without that word comes from an accepted host', () => {
    const from = (origin: string, host: string) => isOwnCall({ ...own, origin, host }, local);
    assert.equal(from('http://localhost:8081', 'localhost:8081'), true);
    assert.equal(from('http://127.0.0.1:8081', '127.0.0.1:8081'), true);
    assert.equal(from('http://localhost:9999', 'localhost:8081'), false);
    assert.equal(from('http://evil.test', 'evil.test'), false);
    assert.equal(from('null', 'localhost:8081'), false);
    assert.equal(isOwnCall({ ...own, host: 'localhost:8081' }, local), false);
  });

  it('with PANEL_PUBLIC_URL comes from there alone', () => {
    const from = (origin: string) => isOwnCall({ ...own, origin, host: 'localhost' }, published);
    assert.equal(from('https://panel.example.com'), true);
    assert.equal(from('http://panel.example.com'), false);
    assert.equal(from('http://localhost'), false);
  });
});

describe('the address of a person', () => {
  const trusted = (address: string) => isInNetworks(address, ['10.0.0.0/8', '::1', '192.0.2.7']);

  it('is the connection’s, unless that is a trusted proxy’s', () => {
    assert.equal(clientAddress('203.0.113.1', '198.51.100.1', trusted), '203.0.113.1');
    assert.equal(clientAddress('10.1.2.3', '198.51.100.1', trusted), '198.51.100.1');
    assert.equal(clientAddress('10.1.2.3', '', trusted), '10.1.2.3');
  });

  it('is the last one that is no proxy’s: those before it are anyone’s claim', () => {
    const claimed = '203.0.113.66, 198.51.100.1, 192.0.2.7, 10.9.9.9';
    assert.equal(clientAddress('10.1.2.3', claimed, trusted), '198.51.100.1');
    assert.equal(trusted('::ffff:10.0.0.1'), true);
    assert.equal(trusted('11.0.0.1'), false);
    assert.equal(trusted('no address'), false);
    assert.equal(isInNetworks('10.0.0.1', []), false);
  });

  it('has no port, which some proxies add to each', () => {
    const table = [
      ['198.51.100.1:5678', '198.51.100.1'],
      ['198.51.100.1:5678, 10.9.9.9:443', '198.51.100.1'],
      ['198.51.100.1:5678, [::1]:443', '198.51.100.1'],
      ['[2001:db8::1]:443', '2001:0db8:0000:0000::/64'],
      ['[2001:db8::1]', '2001:0db8:0000:0000::/64'],
      ['2001:db8::443', '2001:0db8:0000:0000::/64'],
    ] as const;
    for (const [forwarded, address] of table) {
      assert.equal(clientAddress('10.1.2.3', forwarded, trusted), address, forwarded);
    }
  });

  it('that an untrusted peer forwards is warned of once', () => {
    const warned: unknown[] = [];
    const log = { warn: (fields: unknown) => void warned.push(fields) };
    const untrusted = new UntrustedProxy(log, trusted);
    untrusted.watch('203.0.113.1', {});
    untrusted.watch('10.1.2.3', { 'x-forwarded-for': '198.51.100.1' });
    assert.deepEqual([untrusted.first, warned], [null, []]);
    untrusted.watch('203.0.113.1', { forwarded: 'for=198.51.100.1' });
    untrusted.watch('203.0.113.2', { 'x-forwarded-for': '198.51.100.1' });
    assert.equal(untrusted.first, '203.0.113.1');
    const setting = 'PANEL_TRUSTED_PROXIES';
    assert.deepEqual(warned, [{ address: '203.0.113.1', setting }]);
  });
});
