# syntax=docker/dockerfile:1

# Node 24 has long-term support until April 2028. Debian rather than Alpine, for Node's own builds and most machines
# that run the tests have its C library; slim, for nothing here is compiled: bcrypt comes with its binary.
ARG NODE_IMAGE=node:24-trixie-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json .swcrc nest-cli.json ./
COPY scripts ./scripts
COPY migrations ./migrations
COPY src ./src
COPY openapi.json ./
# There is no checkout in here to ask. /actuator/info shows these:
#   docker build --build-arg GIT_COMMIT="$(git rev-parse HEAD)" …
ARG GIT_BRANCH GIT_COMMIT GIT_COMMIT_TIME
RUN npm run build
# The optional packages are the compiler's binaries and the quickstart's PostgreSQL.
RUN npm prune --omit=dev --omit=optional

FROM ${NODE_IMAGE}
# Password hashes run on libuv's threads, at most one fewer than there are, and no more than there are cores.
ENV NODE_ENV=production UV_THREADPOOL_SIZE=8
# Nothing is installed in here, so nobody needs what installs.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-*
WORKDIR /app
COPY --from=build /app/package.json /app/openapi.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/scripts ./scripts
COPY --from=build /app/dist ./dist
# By number, so that Kubernetes can tell that it is not root.
USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 8080}/actuator/health/liveness`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Without npm or a shell in between: SIGTERM must reach Node. The command-line tool: node scripts/cli.mjs …
CMD ["node", "--max-old-space-size=256", "dist/src/main.js"]
