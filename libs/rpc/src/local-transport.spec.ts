import { LocalTransport } from './local-transport';
import { describeRpcTransport } from './rpc-transport.contract';

describeRpcTransport('operations inside one process', async () => new LocalTransport(), { deadlineMs: 200 });
