import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ownSecretKeys } from './own-secret-key';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'tidings-secret-key-'));
});
afterEach(() => rm(directory, { recursive: true }));

const file = () => path.join(directory, 'secret-key');

it('is drawn once, for its owner alone', async () => {
  const [key] = await ownSecretKeys(directory);

  expect(key).toHaveLength(32);
  expect(await ownSecretKeys(directory)).toEqual([key]);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
});

it('is not drawn where one is configured; a drawn one opens what it sealed', async () => {
  const configured = randomBytes(32);
  expect(await ownSecretKeys(directory, [configured])).toEqual([configured]);
  await expect(readFile(file())).rejects.toThrow('ENOENT');

  const [drawn] = await ownSecretKeys(directory);
  expect(await ownSecretKeys(directory, [configured])).toEqual([configured, drawn]);
});

it('is not drawn beside a database whose secrets a lost key sealed', async () => {
  const sealed = () => Promise.resolve('0123456789abcdef');

  await expect(ownSecretKeys(directory, [], sealed)).rejects.toThrow(
    `The secret key in ${file()} is missing, and the secrets in the database were sealed with the key 0123456789abcdef: restore the file`,
  );
  await expect(readFile(file())).rejects.toThrow('ENOENT');
  const configured = randomBytes(32);
  expect(await ownSecretKeys(directory, [configured], sealed)).toEqual([configured]);

  const [drawn] = await ownSecretKeys(directory);
  expect(await ownSecretKeys(directory, [], sealed)).toEqual([drawn]);
});

it('stops the start when its file holds no key', async () => {
  await writeFile(file(), 'c2hvcnQ=');

  await expect(ownSecretKeys(directory)).rejects.toThrow(`The secret key in ${file()} is not 32 bytes in base64 or hex`);
});
