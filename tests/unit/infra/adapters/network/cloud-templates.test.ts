/** The list of a business account's templates, over real HTTP: whole, or none. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TemplateListing } from '../../../../../shared/ports/network.ts';
import { channelOf } from '../../../../support/infra/adapters/network/network-fixture.ts';
import { withGraphApi } from '../../../../support/stand-ins/graph-api.ts';
import { json } from '../../../../support/stand-ins/server.ts';

const ACCOUNT = channelOf('cloud', { businessAccountId: '88017700' });
const FIELDS = 'id,name,language,category,status,quality_score,parameter_format,components';
const COMPONENTS = [{ type: 'BODY', text: 'Oi {{nome}}' }];
const LISTED = {
  ...{ id: '11', name: 'lembrete', language: 'pt_BR', status: 'APPROVED', category: 'UTILITY' },
  ...{ parameter_format: 'NAMED', quality_score: { score: 'GREEN', date: 1 } },
  components: COMPONENTS,
};
const SHOWN = {
  ...{ networkId: '11', name: 'lembrete', language: 'pt_BR', status: 'APPROVED' },
  ...{ category: 'UTILITY', quality: 'GREEN', named: true, components: COMPONENTS },
};

type Page = { readonly status?: number; readonly body: unknown };

/** The listing where each request gets the next page, and the requests' addresses. */
async function listed(pages: readonly Page[], channel = ACCOUNT) {
  const asked: string[] = [];
  const listing = await withGraphApi(
    (request) => {
      assert.equal(request.method, 'GET');
      assert.equal(request.headers.authorization, 'Bearer token-1001');
      const { status = 200, body } = pages[asked.length] ?? { status: 500, body: {} };
      asked.push(request.path);
      return json(body, status);
    },
    async (driver) => driver.listTemplates?.(channel),
  );
  return { asked, listing };
}

function page(templates: readonly unknown[], after?: string): Page {
  const cursors = { before: 'a', after: after ?? 'z' };
  const next = after === undefined ? {} : { next: 'https://graph.example/next' };
  return { body: { data: templates, paging: { cursors, ...next } } };
}

function failed(code: number, fields: object = {}): Page {
  return { status: 400, body: { error: { code, message: `(#${code})`, ...fields } } };
}

describe('cloud: the list of templates', () => {
  it('one page, in the network’s own words', async () => {
    const { asked, listing } = await listed([page([LISTED])]);
    assert.deepEqual(listing, { listed: true, templates: [SHOWN] });
    const url = new URL(asked[0] ?? '', 'http://peer');
    assert.equal(url.pathname, '/v26.0/88017700/message_templates');
    assert.deepEqual(Object.fromEntries(url.searchParams), { fields: FIELDS, limit: '50' });
  });

  it('a template by position, without a quality as yet', async () => {
    const { quality_score: _, ...plain } = { ...LISTED, parameter_format: 'POSITIONAL' };
    const { listing } = await listed([page([plain])]);
    const shown = { ...SHOWN, quality: null, named: false };
    assert.deepEqual(listing, { listed: true, templates: [shown] });
  });

  it('pages by their cursors; a template on two of them is one', async () => {
    const second = { ...LISTED, id: '12', language: 'en' };
    const { asked, listing } = await listed([page([LISTED], 'b'), page([LISTED, second])]);
    const other = { ...SHOWN, networkId: '12', language: 'en' };
    assert.deepEqual(listing, { listed: true, templates: [SHOWN, other] });
    assert.equal(new URL(asked[1] ?? '', 'http://peer').searchParams.get('after'), 'b');
  });

  it('no templates are a list too, and an entry without a name is none', async () => {
    const none = await listed([{ body: { data: [] } }]);
    assert.deepEqual(none.listing, { listed: true, templates: [] });
    const { listing } = await listed([page([{ id: '13', language: 'pt_BR' }, 7, LISTED])]);
    assert.deepEqual(listing, { listed: true, templates: [SHOWN] });
  });

  it('a list that ends half-way is none', async () => {
    const broken: readonly (readonly Page[])[] = [
      [page([LISTED], 'b'), { status: 500, body: {} }],
      [page([LISTED], 'b'), page([LISTED], 'b')],
      [page([LISTED], 'b'), { body: { data: 'none' } }],
      [{ body: { data: [LISTED], paging: { next: 'https://graph.example/next' } } }],
    ];
    for (const pages of broken) {
      const { listing } = await listed(pages);
      assert.equal(reasonOf(listing, false), true);
    }
  });

  it('a list without an end is given up', async () => {
    let asked = 0;
    const listing = await withGraphApi(
      () => json(page([LISTED], String(asked++)).body),
      async (driver) => driver.listTemplates?.(ACCOUNT),
    );
    assert.equal(asked, 200);
    assert.equal(reasonOf(listing, false), true);
  });

  it('without the account nothing is asked', async () => {
    const { asked, listing } = await listed([], channelOf('cloud'));
    const reason = 'Falta o businessAccountId na configuração do canal.';
    assert.deepEqual(listing, { listed: false, reason, final: true });
    assert.deepEqual(asked, []);
  });

  it('permission, token and an unknown account are final; a throttle is not', async () => {
    const refusals: readonly (readonly [Page, RegExp, boolean])[] = [
      [failed(10), /permissão/, true],
      [failed(200), /permissão/, true],
      [failed(190), /inválido ou expirou/, true],
      [failed(100, { error_subcode: 33 }), /businessAccountId não existe/, true],
      [failed(4), /código 4/, false],
      [failed(80007), /código 80007/, false],
      [{ status: 502, body: 'no JSON object' }, /código 502/, false],
    ];
    for (const [answer, reason, final] of refusals) {
      const { listing } = await listed([answer]);
      assert.ok(listing?.listed === false);
      assert.match(listing.reason, reason);
      assert.equal(listing.final, final);
    }
  });

  function reasonOf(listing: TemplateListing | undefined, final: boolean): boolean {
    return listing?.listed === false && listing.reason.endsWith('.') && listing.final === final;
  }
});
