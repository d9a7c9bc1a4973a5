/** `node tools/write-project-graph.mjs`: draws Nx's graph of the projects in docs/architecture.md; tools/projects.spec.ts compares it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { pictureOf, readProjects } from './lib/project-graph.mjs';

const page = 'docs/architecture.md';
writeFileSync(page, readFileSync(page, 'utf8').replace(/```mermaid\nflowchart TD\n[^`]*```/, pictureOf(readProjects())));
