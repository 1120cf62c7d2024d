# The command line and the web application, not as root; made for a read-only root file system:
#   docker build -t shoal .
#   docker run --rm --read-only --tmpfs /tmp -v "$PWD:/work" shoal frontier patients.study.yaml
#   docker run --rm --read-only --tmpfs /tmp --network host shoal serve
FROM python:3.12-slim AS build
RUN apt-get update && apt-get install --yes --no-install-recommends g++ make && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN pip wheel --no-cache-dir --wheel-dir /wheels '/source[plot,postgres,risk,sign,stat,excel,utility,web]'

FROM python:3.12-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels 'shoal[plot,postgres,risk,sign,stat,excel,utility,web]' \
    && useradd --create-home --uid 1000 curator && install --directory --owner curator /work
ENV PYTHONDONTWRITEBYTECODE=1 MPLCONFIGDIR=/tmp TMPDIR=/tmp
USER curator
WORKDIR /work
ENTRYPOINT ["shoal"]
CMD ["--help"]
