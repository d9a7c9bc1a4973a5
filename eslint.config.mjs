import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';
import { ALLOWED, APPS, CONFINED, FOLDERS, FOR_SPECS, noCycles } from './tools/boundaries.mjs';

const folderOf = (project) => FOLDERS[project] ?? `${APPS.includes(project) ? 'apps' : 'libs'}/${project}`;

/** The rule that forbids imports to `project`; its messages name the alternative. `also` lists projects for specs. */
function restrictions(project, also = []) {
  const allowed = [project, ...ALLOWED[project], ...also];
  const foreign = Object.keys(ALLOWED).filter((other) => !allowed.includes(other));
  const confined = Object.entries(CONFINED).filter(([, projects]) => !projects.includes(project) && !also.includes('testing'));
  return [
    'error',
    {
      patterns: [
        ...foreign.map((other) => ({
          group: [`@tidings/${other}`, `@tidings/${other}/*`],
          message: `${project} may not depend on ${other}: see tools/boundaries.mjs.`,
        })),
        { group: [`@tidings/${project}/*`], message: 'Inside a project, import by relative path.' },
      ],
      paths: confined.map(([name, projects]) => ({ name, message: `Only ${projects.join(' and ')} may import ${name}.` })),
    },
  ];
}

const REFUSED_SYNTAX = [
  { selector: "CallExpression[callee.name='eval']", message: 'Never evaluate text.' },
  { selector: "NewExpression[callee.name='Function']", message: 'Never evaluate text.' },
  {
    selector: "MemberExpression[object.name='jest'][property.name='useFakeTimers']",
    message: 'It stops the timers of all code in the process: use ManualTimers (libs/testing/src/manual-timers.ts).',
  },
  {
    selector: "ForOfStatement:has(> ArrayExpression.right > CallExpression):has(MemberExpression[property.name='rejects'])",
    message: 'The calls run at once, and one that is rejected before it is awaited fails the test: use functions, `() => call()`.',
  },
];

/** Of `require` in TypeScript. */
const LOADED = [
  '^kafkajs/src/',
  '^class-transformer/cjs/storage$',
  '^juice$',
  '^mjml$',
  '^openid-client$',
  '^oidc-provider$',
  '^\\./sdk$',
  '/descriptions\\.json$',
];

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '.nx/**', '.tidings/**', '**/*.cjs', 'coverage/**', '**/*.d.ts'] },
  eslint.configs.recommended,
  {
    files: ['examples/preferences-page/page.js'],
    languageOptions: { globals: { document: 'readonly', fetch: 'readonly' } },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        URL: 'readonly',
        performance: 'readonly',
        fetch: 'readonly',
        AbortSignal: 'readonly',
        Buffer: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
      },
    },
  },
  ...tseslint.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ['**/*.ts', '**/*.tsx'] })),
  {
    files: ['**/*.ts', '**/*.tsx'],
    languageOptions: {
      parserOptions: {
        // One program for the whole tree: one per project would parse and check the libraries again for each.
        project: ['tsconfig.lint.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-empty-object-type': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-explicit-any': 'error',
      // Files without types, and what is loaded at its first use. The bundle includes what `require` names.
      '@typescript-eslint/no-require-imports': ['error', { allow: LOADED }],
      eqeqeq: ['error', 'always'],
      'no-restricted-syntax': ['error', ...REFUSED_SYNTAX],
    },
  },
  {
    // `strictPropertyInitialization` is off here: TypeORM sets the decorated fields of entities.
    files: ['apps/{identity,content}/src/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...REFUSED_SYNTAX,
        {
          selector: 'PropertyDefinition[value=null][optional=false][decorators.length=0]',
          message: 'A field without a decorator needs a value.',
        },
      ],
    },
  },
  {
    // Code of browsers: programs of its own, with other types.
    files: ['apps/console/src/**/*.ts', 'apps/console/src/**/*.tsx'],
    languageOptions: {
      parserOptions: { project: ['apps/console/tsconfig.json', 'apps/console/tsconfig.spec.json'], tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/only-throw-error': [
        'error',
        { allow: [{ from: 'package', package: '@tanstack/router-core', name: 'Redirect' }] },
      ],
      'no-restricted-syntax': [
        'error',
        ...REFUSED_SYNTAX,
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: 'Texts of strangers are texts: React escapes them.' },
      ],
    },
  },
  {
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    plugins: { tidings: { rules: { 'no-cycles': noCycles } } },
    rules: { 'tidings/no-cycles': 'error' },
  },
  ...Object.keys(ALLOWED).flatMap((project) => [
    { files: [`${folderOf(project)}/**/*.ts`, `${folderOf(project)}/**/*.tsx`], rules: { 'no-restricted-imports': restrictions(project) } },
    {
      files: ['spec', 'e2e', 'fixture', 'contract']
        .map((kind) => `${folderOf(project)}/**/*.${kind}.ts`)
        .concat(`${folderOf(project)}/src/testing/**/*.ts`),
      rules: { 'no-restricted-imports': restrictions(project, FOR_SPECS) },
    },
  ]),
);
