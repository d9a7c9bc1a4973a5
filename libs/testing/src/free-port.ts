export { freePort } from '@tidings/runtime/free-port';
