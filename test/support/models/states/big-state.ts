import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../../../infra/local/service/service.ts';
import { computeMd5, LINEAGE, readUploadUrl, stateVersionBody, upload } from '../../api/states.ts';
import { startFunction } from '../../local/function-process.ts';
import { bundledOnce, synthesizedOnce } from '../../setup/build-once.ts';
import { POLL_DEADLINE } from '../../setup/deadline.ts';

export interface BigState {
  readonly megabytes: number;
  readonly resources: number;
  /** Time from the end of the upload until `state-content` processed the state, in milliseconds. */
  readonly readAfter: number;
  /** Memory of the function above its memory after loading, and its peak memory, in megabytes. */
  readonly needed: number;
  readonly peak: number;
  /** Descriptions of failed checks. */
  readonly findings: readonly string[];
}

/** Creates a state of a size in megabytes. Each resource has one kilobyte of unique attributes. */
const largeState = (megabytes: number): { content: Buffer; resources: number } => {
  const resources = megabytes * 1024;
  const instance = (index: number) => {
    let text = '';
    for (let part = 0; text.length < 800; part++) text += createHash('sha256').update(`${index}.${part}`).digest('hex');
    return { schema_version: 0, attributes: { id: `i-${index}`, text }, sensitive_attributes: [] };
  };
  const parts = [
    `{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"${LINEAGE}",`,
    '"outputs":{"count":{"value":1,"type":"number"}},"resources":[',
    ...Array.from({ length: resources }, (_, index) => {
      const resource = { mode: 'managed', type: 'aws_instance', name: `web-${index}`, instances: [instance(index)] };
      return (index === 0 ? '' : ',') + JSON.stringify(resource);
    }),
    ']}',
  ];
  return { content: Buffer.from(parts.join('')), resources };
};

/** Uploads a large state to the local service, waits for its processing, downloads it, and measures the memory of `state-content`. */
export const proveBigState = async (megabytes: number): Promise<BigState> => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-big-'));
  const service = await startService({ dataFolder: join(folder, 'data'), assembly: await synthesizedOnce() });
  const findings: string[] = [];
  const must = (holds: boolean, finding: string): void => {
    if (!holds) findings.push(finding);
  };
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/vnd.api+json' };
    const response = await fetch(service.baseUrl + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: documents of every shape.
    return { status: response.status, headers: {}, body: (await response.json()) as any };
  };
  const create = async (name: string, content: Buffer) => {
    const body = { data: { type: 'workspaces', attributes: { name } } };
    const { id } = (await call('POST', '/organizations/demo/workspaces', body)).body.data;
    await call('POST', `/workspaces/${id}/actions/lock`);
    const created = await call('POST', `/workspaces/${id}/state-versions`, stateVersionBody(content));
    return { workspace: `/workspaces/${id}`, version: created.body.data.id as string, url: readUploadUrl(created) };
  };
  const attributesOf = async (version: string) =>
    (await call('GET', `/state-versions/${version}`)).body.data.attributes;

  try {
    const { content, resources } = largeState(megabytes);
    const first = await create('big', content);
    must((await upload(first.url, content)) === 200, 'it cannot be uploaded');
    const uploaded = performance.now();
    while ((await attributesOf(first.version)).status === 'pending' && performance.now() < uploaded + POLL_DEADLINE)
      await sleep(50);
    const readAfter = performance.now() - uploaded;
    const read = await attributesOf(first.version);
    must(read.status === 'finalized' && read['resource-count'] === resources, 'its event does not have it read');
    must((await call('POST', `${first.workspace}/actions/unlock`)).status === 200, 'its lock is not released');
    const { attributes } = (await call('GET', `${first.workspace}/current-state-version`)).body.data;
    const headers = { authorization: `Bearer ${service.token}` };
    const download = await fetch(attributes['hosted-state-download-url'], { headers });
    const bytes = Buffer.from(await download.arrayBuffer());
    must(
      bytes.length === content.length && computeMd5(bytes) === computeMd5(content),
      'it does not come back as it was sent',
    );

    // Repeats the processing in a separate process with the memory of the Lambda function.
    const second = await create('weighed', content);
    const [, bucket = '', key = ''] = /^\/([^/]+)\/(.+)$/.exec(new URL(second.url).pathname) ?? [];
    const [, workspace, createdAt] = key.split('/');
    const { bundles } = await bundledOnce();
    const environment = {
      TABLE_NAME: service.tableNames[0] ?? '',
      BUCKET_NAME: bucket,
      AWS_ENDPOINT_URL_S3: service.bucketUrl,
      AWS_ENDPOINT_URL_DYNAMODB: service.engineEndpoint,
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: service.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: service.credentials.secretAccessKey,
      POWERTOOLS_LOG_LEVEL: 'SILENT',
    };
    const alone = await startFunction(join(bundles['state-content'].directory, 'index.mjs'), environment, 1024);
    await upload(second.url, content);
    const event = { workspace, stateVersion: second.version, createdAt: Number(createdAt) };
    const weighed = await alone.invoke(event);
    alone.end();
    // If the bucket event was processed first, the measured invocation had no work.
    must(weighed.computed > megabytes, 'the function alone has not read it');
    must(weighed.answer?.status === 'finalized', `alone it answers ${JSON.stringify(weighed.answer)}`);
    return {
      megabytes: content.length / 1024 / 1024,
      resources,
      readAfter,
      needed: weighed.peak - weighed.loaded,
      peak: weighed.peak,
      findings,
    };
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};
