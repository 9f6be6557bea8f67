import { createSocket } from 'node:dgram';
import { readTraceDaemon, readTraceHeader } from '../runtime/environment.ts';
import { startTracing } from './start-tracing.ts';

/**
 * Entry of the layer that functions load before their code where the setting `tracing` is on. The X-Ray daemon of Lambda
 * receives one datagram for each subsegment.
 */
const { host, port } = readTraceDaemon();
const socket = createSocket('udp4').unref();
const header = '{"format":"json","version":1}\n';

startTracing({
  readTraceHeader,
  // A lost datagram makes a trace incomplete. It must not fail the request.
  send: (subsegment) => socket.send(header + JSON.stringify(subsegment), port, host, () => {}),
});
