import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runImageSteps } from './image-steps';

describe('running the steps of a Dockerfile', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tidings-steps-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function build(dockerfile: string, { ignore = '', files = {} } = {}) {
    const context = path.join(folder, 'context');
    for (const [name, text] of Object.entries({ ...files, Dockerfile: dockerfile, '.dockerignore': ignore })) {
      mkdirSync(path.dirname(path.join(context, name)), { recursive: true });
      writeFileSync(path.join(context, name), text);
    }
    return runImageSteps(context, path.join(folder, 'target'));
  }

  it('runs commands on the copied files, and passes only copied files to the last stage', () => {
    const image = build(
      `FROM node:20.20.2-bookworm-slim AS base
       WORKDIR /app
       FROM base AS build
       ENV GREETING=hello
       COPY sources ./
       RUN echo "$GREETING $(cat word)" > made \\
           && rm word
       FROM base AS final
       COPY --from=build /app/made ./out/
       ENTRYPOINT ["node", "x.js"]`,
      { files: { 'sources/word': 'world', 'sources/other': '' } },
    );
    expect(readdirSync(image.directory)).toEqual(['out']);
    expect(readFileSync(path.join(image.directory, 'out/made'), 'utf8')).toBe('hello world\n');
    expect(image).toMatchObject({ base: 'node:20.20.2-bookworm-slim', environment: {}, entrypoint: ['node', 'x.js'] });
  });

  it('excludes the paths of .dockerignore from the context', () => {
    const files = { 'a/b.ts': '', 'a/b.spec.ts': '', 'a/dist/b.js': '', 'c/d': '', 'c/secret': '', '.env': '' };
    const ignore = '# all but a and one file of c\n*\n!a\n!c/d\n**/dist\n**/*.spec.ts\n';
    const image = build('FROM scratch AS final\nWORKDIR /app\nCOPY . .', { ignore, files });
    const found = readdirSync(image.directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(found.map((entry) => path.relative(image.directory, path.join(entry.parentPath, entry.name))).sort()).toEqual(['a/b.ts', 'c/d']);
  });

  it.each([
    ['a command that fails', 'RUN echo reason >&2; exit 3', /Dockerfile:3: "RUN echo reason >&2; exit 3" ended with 3:\nreason/],
    ['a missing source', 'COPY absent ./', /Dockerfile:3: absent is not in the context/],
    ['a source that .dockerignore excludes', 'COPY hidden ./', /Dockerfile:3: hidden is not in the context/],
    ['a missing stage', 'COPY --from=absent /app ./', /there is no stage absent/],
    ["a command with a path outside the image's folder", 'RUN touch /tmp/x', /names an absolute path/],
    ['an unsupported instruction', 'ADD a b', /Dockerfile:3: "ADD a b" is not supported/],
    ['an entry point that needs a shell', 'ENTRYPOINT node x.js', /would need a shell/],
    ['an unsupported option of COPY', 'COPY --chown=1 hidden ./', /unsupported options or patterns/],
  ])('stops at %s, with the line', (_, step, reason) => {
    expect(() => build(`FROM scratch AS final\nWORKDIR /app\n${step}`, { ignore: 'hidden', files: { hidden: '' } })).toThrow(reason);
  });
});
