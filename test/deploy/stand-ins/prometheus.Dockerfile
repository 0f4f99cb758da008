# Prometheus from Debian, for machines that can reach Debian but no image registry. Not the official image.
FROM node:24-bookworm-slim
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends prometheus wget && rm -rf /var/lib/apt/lists/* \
 && mkdir -p /prometheus && chown 65534:65534 /prometheus
USER 65534:65534
ENTRYPOINT ["prometheus"]
