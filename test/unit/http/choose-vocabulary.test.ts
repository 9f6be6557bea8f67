import { describe, expect, test } from 'vitest';
import { chooseVocabulary } from '../../../shared/http/middleware/choose-vocabulary.ts';
import { runMiddleware } from '../../support/http/run-middleware.ts';

const run = (headers: Record<string, string>, deployed?: 'infra' | 'terraform') =>
  runMiddleware({ before: chooseVocabulary(deployed) }, { event: { headers } });

describe('chooseVocabulary', () => {
  test.each([
    ['go-tfe'],
    ['terraform-provider-tfe/0.80.0 (+https://registry.terraform.io/providers/hashicorp/tfe)'],
    ['OpenTofu/1.10.7 (+https://opentofu.org)'],
    ['pytfe/1.0'],
    ['HashiCorp Terraform/1.11.4 (+https://www.terraform.io)'],
    ['TFCTL/0.3'],
    ['tfm v0.9'],
    ['tfx'],
    ['tfci/1.0'],
    ['terrasnek 0.1.14'],
  ])('chooses terraform for the user agent %s', async (agent) => {
    expect((await run({ 'user-agent': agent })).internal.vocabulary).toBe('terraform');
  });

  test('chooses the vocabulary of the deployment for other clients', async () => {
    for (const deployed of ['infra', 'terraform'] as const) {
      expect((await run({ 'user-agent': 'curl/8.5.0' }, deployed)).internal.vocabulary).toBe(deployed);
      expect((await run({}, deployed)).internal.vocabulary).toBe(deployed);
    }
  });

  test('lets the header decide over the user agent and the deployment', async () => {
    const infra = { 'user-agent': 'go-tfe', 'holdfast-vocabulary': 'infra' };
    expect((await run(infra, 'terraform')).internal.vocabulary).toBe('infra');
    expect((await run({ 'holdfast-vocabulary': 'terraform' })).internal.vocabulary).toBe('terraform');
  });

  test.each(['', 'Terraform', 'infra, terraform'])('rejects the header %j with 400', async (requested) => {
    const { error } = await run({ 'holdfast-vocabulary': requested });
    expect(error).toMatchObject({ code: 'bad-request', detail: expect.stringContaining('infra, terraform') });
  });
});
