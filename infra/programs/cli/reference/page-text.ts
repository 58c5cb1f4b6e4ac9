/** The text of docs/provisioning.md before and behind its tables. */

export const FOREWORD = `# The provisioning file

Organizations and everything that an operator sets in them come from a file, YAML or JSON, that can be
applied again and again. The command \`npm run -s recado -- apply --reference\` prints this page.

\`\`\`
npm run -s recado -- apply loja.yaml           # one JSON object: ids, URLs, new tokens
npm run -s recado -- apply loja.yaml --check   # changes nothing: prints every problem
npm run -s recado -- apply loja.yaml --diff    # changes nothing: shows what would change
npm run -s recado -- apply --schema            # this page as a JSON Schema, for editors
\`\`\`

\`-\` instead of a file is standard input. It exits with 0, with 2 where the file is wrong (nothing was
stored), and with 1 where the service could not be asked.

**Entries and properties that a file leaves out stay as they are.** An entry goes by
\`remove: true\`. The same file again changes nothing. An unknown property is a problem.

## In an editor

\`\`\`
npm run -s recado -- apply --schema > recado.schema.json
\`\`\`

Editors with a YAML language server complete, explain and check a file by that schema. Its first line
names the schema's path; a JSON file names it as \`"$schema": "recado.schema.json"\`.

\`\`\`yaml
# yaml-language-server: $schema=recado.schema.json
orgs:
  - ref: loja
    name: Loja Exemplo
    timeZone: America/Sao_Paulo
    country: BR
    limits: { perKey: 120, perOrg: 600 }
    members:
      - { ref: ana, name: Ana Souza, email: ana@example.com }
    channels:
      - ref: main
        label: Atendimento
        provider: cloud
        phone: "+55 11 4000-1000"
        network: { phoneNumberId: "1001", accessToken: EAAG…, appSecret: 0123456789abcdef, verifyToken: v }
      - ref: shop
        label: Vendas
        provider: web
        phone: "+55 11 4000-2000"
        network: { baseUrl: "http://127.0.0.1:3000", session: shop, apiKey: k, webhookSecret: w }
    keys:
      - { ref: erp, name: ERP, scope: account }
      - { ref: shop-key, name: Vendas, scope: channel, channel: shop }
    tags: [vip]
    flows:
      - ref: welcome
        name: Boas-vindas
        triggers: [{ on: tag, tag: vip }]
        steps:
          - { id: hi, do: send, text: "Olá {{contact.name}}!", next: ask }
          - { id: ask, do: wait, timeout: 1h, saveAs: answer, next: done, onTimeout: done }
          - { id: done, do: end }
    subscriptions:
      - { ref: crm, url: "https://crm.example.com/hook", events: ["*"] }
\`\`\`

## What is wrong with a file

All problems come at once, one to a line: the path, the sentence, and where it stands.

\`\`\`
orgs.0.timezone: is not a known property; did you mean timeZone? (loja.yaml, line 5, column 5)
orgs.0.flows.0.steps.1.next: flow "welcome", step "ask", next: no step has the id "dnoe"; did you mean "done"? (loja.yaml, line 31, column 69)
orgs.0.subscriptions.0.url: leads to an address of an internal network; crm.lan:8443 in the service's PRIVATE_NETWORK_ALLOW allows it (loja.yaml, line 34, column 26)
\`\`\`

A problem names the place where a file breaks off in the middle. The command reports a last line without
an end.

## What would change

\`--diff\` prints a line for each change, or with \`--json\` \`{"changes":[…]}\`. A change has \`org\` and \`path\`
by refs, and \`change\` (\`add\`, \`change\`, \`remove\`). A changed property adds \`before\` and \`after\`, values up
to 200 characters. A secret shows only \`"secret":true\`. \`more\` counts the changes beyond the first 500 of
an organization.

\`\`\`
$ npm run -s recado -- apply loja.yaml --diff
loja
  ~ timeZone: "America/Sao_Paulo" → "America/Manaus"
  + channels.shop
  ~ channels.main.network.accessToken: a secret
  - flows.welcome
4 changes. Nothing was applied.
\`\`\`

## The file

\`orgs\` is a list of [organizations](#organization). Nothing else stands at the top but \`$schema\`.
A *ref* is 1 to 64 letters, digits, \`.\`, \`_\` or \`-\` and begins with a letter or digit. A *duration* is
\`250ms\`, \`6s\`, \`5m\`, \`2h\`, \`1d\`. A *template* is [Liquid](flows.md#templates). Examples are JSON, which
YAML accepts too. The column *left out* has the effect of an omitted property on a new entry and on one
that exists.`;

export const AFTERWORD = `## What it prints

One JSON object. Ids are plain text; a token or a secret is shown when it is new, and never again.

\`\`\`json
{"orgs":{"loja":{"id":"…","members":{"ana":"…"},"channels":{"main":{"id":"…","inboundWebhookUrl":"…","networkWebhookUrl":"…"}},
 "keys":{"erp":{"id":"…","token":"…"}},"pipelines":{"vendas":{"id":"…","stages":{"novo":"…"}}},
 "flows":{"welcome":"…"},"files":{"logo":"…"},"subscriptions":{"crm":{"id":"…","secret":"…"}}}}
\`\`\``;
